//! Server and client of a service of one's own, in one program: it calls itself over loopback and
//! prints what went over the wire.

use std::error::Error;
use std::sync::Arc;

use a2a_kit::client::{HttpTransport, RestChannel};
use a2a_kit::rest::Rest;
use a2a_kit::types::FieldMask;
use a2a_kit::{CallContext, Open};
use custom_service::generated::{
    BoxInventory, CreateItemRequest, DeleteItemRequest, GetItemRequest, Inventory, InventoryClient,
    Item, ListItemsRequest, MoveItemRequest, OUT_OF_STOCK, UpdateItemRequest, WatchItemsRequest,
};
use custom_service::inventory::Memory;
use custom_service::wire::Printed;
use futures_util::StreamExt as _;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

#[tokio::main]
async fn main() -> Outcome {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    let service = BoxInventory::new(Memory::new());
    let server = Rest::new(Arc::new(service), Arc::new(Open));
    let (stop, stopped) = oneshot::channel::<()>();
    let served = tokio::spawn(async move {
        // Stopped, or the other end is gone: both are reasons to stop.
        let stopped = async { drop(stopped.await) };
        server.serve_with_shutdown(listener, stopped).await
    });

    let channel = RestChannel::new(&url, Printed(HttpTransport::new()))?;
    call(&InventoryClient::new(channel)).await?;

    drop(stop);
    served.await??;
    Ok(())
}

/// One call of each operation. The client is an `Inventory` like the service itself.
async fn call(client: &impl Inventory) -> Outcome {
    title("a field is the body, the rest is in path and query");
    let bolts = Item::new()
        .with_title("bolts M8 galvanised")
        .with_stock(100)
        .with_labels([("thread", "M8")]);
    let request = CreateItemRequest::new()
        .with_parent("warehouses/north")
        .with_item_id("bolts m8")
        .with_item(bolts);
    let bolts = client.create_item(CallContext::default(), request).await?;

    title("a stream of events; it is read at the end");
    let request = WatchItemsRequest::new().with_parent("warehouses/north");
    let mut changes = client.watch_items(CallContext::default(), request).await?;

    title("names may hold what they like");
    let request = CreateItemRequest::new()
        .with_parent("warehouses/north")
        .with_item_id("螺丝:1%")
        .with_item(Item::new().with_title("screws").with_stock(3));
    let screws = client.create_item(CallContext::default(), request).await?;
    let request = GetItemRequest::new().with_name(&screws.name);
    assert_eq!(
        *client.get_item(CallContext::default(), request).await?,
        *screws
    );

    title("lists and what is optional are in the query");
    let request = ListItemsRequest::new()
        .with_parent("warehouses/north")
        .with_stock_at_most(100)
        .with_words(["bolts", "M8"]);
    client.list_items(CallContext::default(), request).await?;
    title("without a parent there is another route");
    client
        .list_items(CallContext::default(), ListItemsRequest::new())
        .await?;

    title("a mask");
    let request = UpdateItemRequest::new()
        .with_item(Item::new().with_name(&bolts.name).with_stock(120))
        .with_update_mask(FieldMask::new(["stock"]));
    client.update_item(CallContext::default(), request).await?;

    title("a verb");
    let request = MoveItemRequest::new()
        .with_name(&bolts.name)
        .with_destination("warehouses/south")
        .with_pieces(20);
    client
        .move_item(CallContext::default(), request.clone())
        .await?;

    title("an error of the service's own");
    let error = match client
        .move_item(CallContext::default(), request.with_pieces(1000))
        .await
    {
        Err(error) => error,
        Ok(item) => return Err(format!("there should be too few of {item:?}").into()),
    };
    println!(
        "{} {:?}",
        error.spec() == Some(&OUT_OF_STOCK),
        error.metadata()
    );

    title("a name that would not arrive is refused before it is sent");
    for name in ["bolts", "warehouses/north/items/.."] {
        match client
            .get_item(
                CallContext::default(),
                GetItemRequest::new().with_name(name),
            )
            .await
        {
            Err(error) => println!("{error}"),
            Ok(item) => return Err(format!("there should be no {item:?}").into()),
        }
    }

    title("an answer without content");
    let request = DeleteItemRequest::new().with_name(&screws.name);
    client.delete_item(CallContext::default(), request).await?;

    title("the events of the stream");
    let mut count = 0;
    while let Some(change) = changes.next().await {
        count += 1;
        if change?.as_deleted().is_some() {
            break;
        }
    }
    println!("{count} changes");
    Ok(())
}

fn title(text: &str) {
    println!("\n# {text}");
}
