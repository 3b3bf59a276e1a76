//! `/healthz`.

use crate::harness::in_process::TestServer;

#[tokio::test]
async fn health_follows_the_ledger() {
    let house = TestServer::new().await;
    assert_eq!(house.get("/healthz").await.text, "ok");
    house.ledger.fail_all();
    assert_eq!(house.get("/healthz").await.status, 503);
}
