//! The agent: its card, its skills and their types.

use a2a_kit::Caller;
use a2a_kit::auth::ApiKeys;
use a2a_kit::prelude::*;
use a2a_kit::skills::AgentApp;
use futures_util::stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ledger;

/// The one key that the demonstration knows.
pub(crate) const DEMO_KEY: &str = "demo-key";

/// Plans trips and settles what they cost. An example of a2a-kit: its flights are made up.
#[a2a_agent(
    name = "Travel desk",
    provider(organization = "a2a-kit examples", url = "https://example.com/travel"),
    documentation_url = "https://example.com/travel/manual",
    capabilities(streaming, extended_agent_card),
    extension(
        uri = "https://example.com/ext/made-up-offers/v1",
        description = "Nothing that this agent offers can be booked: who calls it has to know that.",
        required,
        params = { "currency": "EUR" }
    ),
    scheme(key, api_key(in = "header", name = "X-API-Key", description = "The demo key is demo-key.")),
    security(key),
    tenants("north", "south"),
)]
#[derive(Debug, Default)]
pub(crate) struct TravelDesk;

/// A trip by air.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trip {
    /// Where it begins: a code of three letters, such as `BER`.
    from: Airport,
    /// Where it ends.
    to: Airport,
    /// How many fly.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 9))]
    travellers: u8,
}

/// An airport's code of three letters.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(extend("pattern" = "^[A-Z]{3}$"))]
pub(crate) struct Airport(String);

/// What was found, cheapest first.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Offers {
    offers: Vec<Offer>,
}

/// A flight, and what it costs all travellers together.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Offer {
    flight: String,
    price: u32,
    currency: &'static str,
}

/// Why there are no offers.
#[derive(Debug, Failure)]
pub(crate) enum NoOffers {
    /// The trip ends where it begins.
    SamePlace,
    /// No more than nine can fly on one booking.
    TooMany,
}

#[a2a_skills]
impl TravelDesk {
    /// Finds flights for a trip.
    #[skill(
        tags("travel", "flights"),
        examples(r#"{"from": "BER", "to": "LIS", "travellers": 2}"#)
    )]
    async fn find_flights(&self, trip: Json<Trip>) -> Result<Json<Offers>, NoOffers> {
        let Json(Trip {
            from,
            to,
            travellers,
        }) = trip;
        if from == to {
            return Err(NoOffers::SamePlace);
        }
        if !(1..=9).contains(&travellers) {
            return Err(NoOffers::TooMany);
        }
        let offer = |(number, price): (u16, u32)| Offer {
            flight: format!("XX{number} {}-{}", from.0, to.0),
            price: price * u32::from(travellers),
            currency: "EUR",
        };
        let offers = [(101, 80), (205, 120)].map(offer).into();
        Ok(Json(Offers { offers }))
    }

    /// Adds up a list of expenses: takes a CSV file with the columns item and amount, and gives back
    /// the same file with a line for the total.
    #[skill(
        tags("travel", "expenses"),
        input_modes("text/csv"),
        output_modes("text/csv")
    )]
    async fn settle_expenses(&self, expenses: File) -> Result<File, SkillError> {
        let bytes = expenses.bytes().ok_or_else(|| {
            SkillError::new("send the file itself: this agent fetches nothing from the web")
        })?;
        let settled = ledger::settle(bytes).map_err(SkillError::new)?;
        Ok(File::from_bytes("settled.csv", "text/csv", settled))
    }

    /// Tells a little about a city, word by word.
    #[skill(default, tags("travel", "cities"), examples("Lisbon"))]
    async fn describe_city(&self, city: Text) -> Chunks {
        let city = city.trim();
        let text = format!("{city} is worth a journey: go there in spring, and stay for a week.");
        let words: Vec<String> = text.split_inclusive(' ').map(str::to_owned).collect();
        Chunks::new(stream::iter(words)).named("description")
    }

    /// Tells the rates that a caller's company has agreed on.
    #[skill(extended, tags("travel", "rates"))]
    async fn corporate_rates(&self, task: &TaskContext, city: Text) -> String {
        let company = task.caller().id().unwrap_or("nobody");
        let office = task.tenant().unwrap_or("head");
        format!(
            "{company} stays in {} for 90 EUR a night, says the {office} office.",
            city.trim()
        )
    }
}

/// The agent with its one caller.
pub(crate) fn app() -> AgentApp<TravelDesk> {
    let keys = ApiKeys::header("X-API-Key").key(DEMO_KEY, Caller::known("demo"));
    TravelDesk.into_agent().authenticate("key", keys)
}

impl TryFrom<String> for Airport {
    type Error = String;

    fn try_from(code: String) -> Result<Self, Self::Error> {
        if code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase()) {
            return Ok(Self(code));
        }
        Err("an airport has a code of three capital letters, such as BER".to_owned())
    }
}

fn one() -> u8 {
    1
}
