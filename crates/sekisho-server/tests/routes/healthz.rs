//! `/healthz`.

use crate::harness::in_process::House;

#[tokio::test]
async fn health_follows_the_ledger() {
    let house = House::new().await;
    assert_eq!(house.get("/healthz").await.text, "ok");
    house.ledger.break_down();
    assert_eq!(house.get("/healthz").await.status, 503);
}
