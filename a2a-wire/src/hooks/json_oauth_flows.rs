//! OAuth flows in the JSON of v0.3: several in one object, where v1.0 has one.
//!
//! Comes in: `{"authorizationCode": {…}, "clientCredentials": {…}}`. Goes out: a v1.0 flow, the
//! first in the order of the schema, and an object with that flow again.

use serde::de::{self, MapAccess};
use serde::ser::SerializeMap;

use crate::__codegen::json::{Context, Entry, Fields, Message, OldObject, Seen};
use crate::adapt::Adapter;
use crate::v0_3_json::{
    AuthorizationCodeOAuthFlow, ClientCredentialsOAuthFlow, ImplicitOAuthFlow, PasswordOAuthFlow,
};
use crate::v1_0::o_auth_flows::Flow;
use crate::v1_0::{self, OAuthFlows};

/// What the codec notes by itself.
#[cfg(test)]
pub(crate) const LOSSES: &[&str] = &["U4", "D5"];

/// The flows.
#[derive(Debug)]
pub struct Codec;

/// What was read.
#[derive(Debug, Default)]
pub struct State {
    authorization_code: Option<v1_0::AuthorizationCodeOAuthFlow>,
    client_credentials: Option<v1_0::ClientCredentialsOAuthFlow>,
    implicit: Option<v1_0::ImplicitOAuthFlow>,
    password: Option<v1_0::PasswordOAuthFlow>,
    device_code: Option<v1_0::DeviceCodeOAuthFlow>,
}

#[allow(
    deprecated,
    reason = "what the schema deprecates is still read and written"
)]
impl OldObject for Codec {
    type Value = OAuthFlows;
    type State = State;

    const NAME: &'static str = "OAuthFlows";
    const JSON_NAMES: &'static [&'static str] = &[
        "authorizationCode",
        "clientCredentials",
        "implicit",
        "password",
        "deviceCode",
    ];
    const REJECT_UNKNOWN: bool = true;

    fn member(name: &str) -> Option<usize> {
        match name {
            "authorizationCode" | "authorization_code" => Some(0),
            "clientCredentials" | "client_credentials" => Some(1),
            "implicit" => Some(2),
            "password" => Some(3),
            // Cards that hold both versions' forms have it.
            "deviceCode" | "device_code" => Some(4),
            _ => None,
        }
    }

    fn read_member<'de, A: MapAccess<'de>>(
        state: &mut State,
        index: usize,
        input: Entry<'_, '_, A>,
    ) -> Result<bool, A::Error> {
        match index {
            0 => input.maybe::<AuthorizationCodeOAuthFlow>(&mut state.authorization_code),
            1 => input.maybe::<ClientCredentialsOAuthFlow>(&mut state.client_credentials),
            2 => input.maybe::<ImplicitOAuthFlow>(&mut state.implicit),
            3 => input.maybe::<PasswordOAuthFlow>(&mut state.password),
            4 => input.maybe::<Message<v1_0::DeviceCodeOAuthFlow>>(&mut state.device_code),
            _ => input.passed(),
        }
    }

    fn finish<E: de::Error>(state: State, _seen: Seen, cx: &Context<'_>) -> Result<OAuthFlows, E> {
        let flows = [
            state.authorization_code.map(Flow::AuthorizationCode),
            state.client_credentials.map(Flow::ClientCredentials),
            state.implicit.map(Flow::Implicit),
            state.password.map(Flow::Password),
            state.device_code.map(Flow::DeviceCode),
        ];
        let mut flows = Self::JSON_NAMES
            .iter()
            .zip(flows)
            .filter_map(|(name, flow)| Some((name, flow?)));
        let found = OAuthFlows {
            flow: flows.next().map(|(_, flow)| flow),
        };
        if let Some(adapter) = cx.adapter() {
            for (name, _) in flows {
                adapter.loss_of("U4", name, "only one flow of a scheme is kept");
            }
        }
        Ok(found)
    }

    fn note_dropped(flows: &OAuthFlows, adapter: &Adapter) {
        if matches!(flows.flow, Some(Flow::DeviceCode(_))) {
            adapter.loss_of("D5", "deviceCode", "the older version has no such flow");
        }
    }

    fn write_members<S: SerializeMap>(
        flows: &OAuthFlows,
        output: &mut Fields<'_, '_, S>,
    ) -> Result<(), S::Error> {
        match &flows.flow {
            Some(Flow::AuthorizationCode(flow)) => {
                const NAME: &str = "authorizationCode";
                output.old::<AuthorizationCodeOAuthFlow>(NAME, NAME, flow)
            }
            Some(Flow::ClientCredentials(flow)) => {
                const NAME: &str = "clientCredentials";
                output.old::<ClientCredentialsOAuthFlow>(NAME, NAME, flow)
            }
            Some(Flow::Implicit(flow)) => {
                output.old::<ImplicitOAuthFlow>("implicit", "implicit", flow)
            }
            Some(Flow::Password(flow)) => {
                output.old::<PasswordOAuthFlow>("password", "password", flow)
            }
            Some(Flow::DeviceCode(_)) | None => Ok(()),
        }
    }
}
