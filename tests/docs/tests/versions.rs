//! What the page on two versions says of the generator and of the adapters is so.

use std::sync::Arc;

use a2a_codegen::{AdapterBuilder, Version};
use a2a_kit::adapted::Adapting;
use a2a_kit::client::{Channel, HttpTransport, RestChannel};
use a2a_kit::rest::Rest;
use a2a_kit::{CallContext, Code, Error, Open, Shared};
use docs::adapters::{OldParcels, OldParcelsClient};
use docs::new::{self, Parcels as _};
use docs::old::{self, Parcels as _};
use tokio::net::TcpListener;

const PAGE: &str = include_str!("../../../docs/your-own-versions.md");

#[test]
fn the_generator_asks_for_rules_as_the_page_says() {
    let file = |name: &str| {
        let mut files = docs::files::files(PAGE);
        files.find(|(known, _)| *known == name).unwrap().1
    };
    let version = |name: &str| {
        let name = format!("{name}/parcels.proto");
        Version::new().virtual_file(&name, file(&name)).file(&name)
    };
    let rules = file("v1-to-v2.toml");
    let without: String = rules
        .lines()
        .filter(|line| !line.starts_with("\"Parcel.sealed\""))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_ne!(without, rules);
    let error = AdapterBuilder::new()
        .old(version("v1"))
        .new_version(version("v2"))
        .virtual_rules("v1-to-v2.toml", without)
        .generate()
        .unwrap_err()
        .to_string();
    let (_, block) = PAGE.split_once("```text\n").unwrap();
    let (shown, _) = block.split_once("\n```").unwrap();
    assert_eq!(error.trim_end(), shown);
}

struct Office;

impl new::Parcels for Office {
    async fn get_parcel(
        &self,
        _: CallContext,
        request: new::GetParcelRequest,
    ) -> Result<Shared<new::Parcel>, Error> {
        let parcel = new::Parcel::new().with_id(request.id);
        Ok(parcel.with_destination("Bergen").into())
    }
}

fn adapting() -> Adapting {
    Adapting::new(&new::PARCELS_SERVICE, |operation| {
        Error::new(Code::Unimplemented, format!("version 1 has no {operation}"))
    })
}

#[tokio::test]
async fn the_older_version_is_served_and_called() {
    let office = OldParcels::new(new::BoxParcels::new(Office), adapting());
    let server = Rest::new(Arc::new(office), Arc::new(Open));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { server.serve(listener).await });

    let channel: Arc<dyn Channel> = Arc::new(RestChannel::new(&url, HttpTransport::new()).unwrap());
    let older = old::ParcelsClient::new(Arc::clone(&channel));
    let request = old::GetParcelRequest::new().with_name("parcels/7");
    let parcel = older.get_parcel(CallContext::default(), request).await;
    let parcel = parcel.unwrap();
    assert_eq!(
        (&*parcel.name, &*parcel.address, parcel.open),
        ("parcels/7", "Bergen", true)
    );

    let newer = OldParcelsClient::new(channel, adapting());
    let request = new::GetParcelRequest::new().with_id("7");
    let parcel = newer.get_parcel(CallContext::default(), request).await;
    let parcel = parcel.unwrap();
    assert_eq!(
        (&*parcel.id, &*parcel.destination, parcel.sealed),
        ("7", "Bergen", false)
    );

    let request = new::ReturnParcelRequest::new().with_id("7");
    let error = newer.return_parcel(CallContext::default(), request).await;
    assert_eq!(
        error.unwrap_err().message(),
        "version 1 has no ReturnParcel"
    );
}
