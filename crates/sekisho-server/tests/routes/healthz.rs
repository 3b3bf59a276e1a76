//! `/healthz`.

use crate::harness::in_process::TestServer;

#[tokio::test]
async fn health_follows_the_ledger() {
    let server = TestServer::new().await;
    assert_eq!(server.get("/healthz").await.text, "ok");
    server.ledger.fail_all();
    assert_eq!(server.get("/healthz").await.status, 503);
}
