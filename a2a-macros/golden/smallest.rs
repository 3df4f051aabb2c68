/// Says hello.
struct Greeter;
#[automatically_derived]
impl ::a2a_kit::skills::AgentSpec for Greeter {
    const STREAMING: ::core::primitive::bool = false;
    #[allow(deprecated)]
    fn description() -> ::a2a_kit::skills::Description {
        ::a2a_kit::skills::Description::new(
            ::a2a_kit::v1_0::AgentCard::new()
                .with_name("Greeter")
                .with_description("Says hello.")
                .with_version(::core::env!("CARGO_PKG_VERSION"))
                .with_capabilities(::a2a_kit::v1_0::AgentCapabilities::new()),
        )
    }
}
#[allow(dead_code)]
impl Greeter {
    /// The agent with its skills, ready to be served.
    #[must_use]
    fn into_agent(self) -> ::a2a_kit::skills::AgentApp<Self> {
        ::a2a_kit::skills::AgentApp::new(self)
    }
    /// The public card of the agent, as far as it is known before the agent is served.
    #[must_use]
    fn card() -> ::a2a_kit::v1_0::AgentCard {
        ::a2a_kit::skills::card::<Self>()
    }
}

impl Greeter {
    /// Greets by name.
    #[allow(clippy::needless_pass_by_value, clippy::unused_async, clippy::unused_self)]
    async fn greet(&self, name: Text) -> String {
        format!("Hello, {name}!")
    }
}
#[automatically_derived]
impl ::a2a_kit::skills::Skills for Greeter {
    fn skills() -> ::std::vec::Vec<::a2a_kit::skills::Skill<Self>> {
        #[allow(unused_imports)]
        use ::a2a_kit::skills::typed::Refused as _;
        let mut skills = ::std::vec::Vec::new();
        {
            ::a2a_kit::skills::typed::takes::<Text>();
            ::a2a_kit::skills::typed::gives::<String>();
            skills
                .push(
                    ::a2a_kit::skills::typed::Typed::<
                        (Text,),
                        String,
                    >::task(
                        ::a2a_kit::v1_0::AgentSkill::new()
                            .with_id("greet")
                            .with_name("Greet")
                            .with_description("Greets by name.")
                            .with_tags(["greeting"]),
                        |agent, turn| ::std::boxed::Box::pin(async move {
                            let (input_0,) = turn.inputs()?;
                            ::a2a_kit::skills::typed::Typed::<
                                (Text,),
                                String,
                            >::reply(turn, Self::greet(agent, input_0).await)
                                .await
                        }),
                    ),
                );
        }
        skills
    }
}
const _: () = {
    #[allow(unused_imports)]
    use ::a2a_kit::skills::typed::Refused as _;
    ::core::assert!(
        ! ::a2a_kit::skills::typed::Typed:: < (), String > ::STREAMS ||
        ::a2a_kit::skills::typed::Typed:: < Greeter, () > ::STREAMING,
        "this skill streams its reply, so the agent has to say that it can: add capabilities(streaming) to #[a2a_agent]"
    );
};
