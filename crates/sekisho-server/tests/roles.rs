//! Every role, and no role, against every route. The roles are written here a second time: a change of
//! permissions in the code has to be made here as well, and a new route needs its line.

use std::collections::BTreeMap;

use sekisho_gate::answer::Role;
use sekisho_server::{Route, routes};

use super::TestServer;
use crate::harness::socket_server::{RawConnection, RawRequest};
use crate::routes::pages::asset;

const EVERYONE: &str = "everyone";
const KNOWN: &str = "agent viewer approver admin";
const READERS: &str = "viewer approver admin";

/// Which roles may use which route.
const MAY: &[(&str, &str)] = &[
    // Asking.
    ("decide", KNOWN),
    ("canUseTool", "agent admin"),
    ("reportExecution", "agent admin"),
    ("hook", "agent admin"),
    // Approvals. An agent sees and withdraws only its own, and answers none.
    ("listApprovals", KNOWN),
    ("getApproval", KNOWN),
    ("waitForApproval", KNOWN),
    ("answerApproval", "approver admin"),
    ("withdrawApproval", "agent approver admin"),
    // Event streams; an agent gets only its own events.
    ("openSocket", KNOWN),
    ("followEvents", KNOWN),
    // Rules.
    ("listRules", READERS),
    ("getRule", READERS),
    ("testRule", READERS),
    ("suggestRules", READERS),
    ("addRule", "admin"),
    ("replaceRule", "admin"),
    ("removeRule", "admin"),
    // The audit log.
    ("searchAudit", READERS),
    ("searchAuditCalls", READERS),
    ("getAuditRow", READERS),
    ("auditKinds", READERS),
    ("auditStats", READERS),
    ("exportAudit", READERS),
    ("verifyAudit", READERS),
    // Trust.
    ("listProjects", "admin"),
    ("trustProject", "admin"),
    ("distrustProject", "admin"),
    // Tools.
    ("listTools", READERS),
    ("configureTools", "admin"),
    // Agents and runs. An agent follows only the runs that it started, and answers no call.
    ("listAgents", READERS),
    ("getAgent", READERS),
    ("getAgentUsage", READERS),
    ("createAgent", "admin"),
    ("replaceAgent", "admin"),
    ("deleteAgent", "admin"),
    ("orchestrate", "agent approver admin"),
    ("getOrchestration", KNOWN),
    ("approveOrchestration", "approver admin"),
    ("executeWithTools", "agent approver admin"),
    ("listRuns", KNOWN),
    ("getRun", KNOWN),
    ("getRunMessages", KNOWN),
    ("followRun", KNOWN),
    ("sendRunMessage", "approver admin"),
    ("abortRun", "approver admin"),
    ("interruptRun", "approver admin"),
    ("approveToolCall", "approver admin"),
    ("declineToolCall", "approver admin"),
    // The same over Mastra's wire.
    ("mastraListAgents", READERS),
    ("mastraGetAgent", READERS),
    ("mastraStream", "agent approver admin"),
    ("mastraGenerate", "agent approver admin"),
    ("mastraObserve", KNOWN),
    ("mastraSuspendedRuns", KNOWN),
    ("mastraApprove", "approver admin"),
    ("mastraApproveGenerate", "approver admin"),
    ("mastraDecline", "approver admin"),
    ("mastraDeclineGenerate", "approver admin"),
    ("mastraResume", "approver admin"),
    // Pipelines. An agent starts, follows and tries again only its own runs.
    ("listPipelines", READERS),
    ("getPipeline", READERS),
    ("createPipeline", "admin"),
    ("replacePipeline", "admin"),
    ("deletePipeline", "admin"),
    ("runPipeline", "agent approver admin"),
    ("startPipelineRun", "agent approver admin"),
    ("listPipelineRuns", KNOWN),
    ("getPipelineRun", KNOWN),
    ("followPipelineRun", KNOWN),
    ("retryPipelineStage", "agent approver admin"),
    ("abortPipelineRun", "approver admin"),
    // Notification settings.
    ("getNotifications", READERS),
    ("setNotifications", READERS),
    // Credentials.
    ("listTokens", "admin"),
    ("createToken", "admin"),
    ("revokeToken", "admin"),
    ("createLink", "admin"),
    // The session.
    ("signIn", EVERYONE),
    ("getSession", KNOWN),
    ("signOut", KNOWN),
    // Health and metrics.
    ("metrics", READERS),
    // Routes that reveal nothing about calls, rules or approvals.
    ("getOpenapi", EVERYONE),
    ("getDocs", EVERYONE),
    ("getDocsStyle", EVERYONE),
    ("health", EVERYONE),
    // The page and its files are the same for everyone; the page has to request what it shows.
    ("getPage", EVERYONE),
    ("getApprovalPage", EVERYONE),
    ("getAgentsPage", EVERYONE),
    ("getAgentPage", EVERYONE),
    ("getRunsPage", EVERYONE),
    ("getRunPage", EVERYONE),
    ("getPipelinesPage", EVERYONE),
    ("getPipelinePage", EVERYONE),
    ("getPipelineRunPage", EVERYONE),
    ("getRulesPage", EVERYONE),
    ("getAuditPage", EVERYONE),
    ("getSettingsPage", EVERYONE),
    ("getSettingsSection", EVERYONE),
    ("getAsset", EVERYONE),
    ("getFile", EVERYONE),
];

/// A path with its variables filled in.
pub(crate) fn filled(path: &str) -> String {
    let asset = asset(".css").path.trim_start_matches("assets/");
    let parts = path.split('/').map(|part| match part {
        "{file}" => asset,
        part if part.starts_with('{') => "01890000-0000-7000-8000-000000000000",
        part => part,
    });
    parts.collect::<Vec<_>>().join("/")
}

#[test]
fn every_route_has_a_line_and_every_line_a_route() {
    let mut lines: Vec<&str> = MAY.iter().map(|(operation, _)| *operation).collect();
    let mut operations: Vec<&str> = routes::table().iter().map(|route| route.operation).collect();
    lines.sort_unstable();
    operations.sort_unstable();
    assert_eq!(operations, lines);
}

fn request(server: &TestServer, route: &Route) -> RawRequest {
    let request =
        server.request(route.method.as_str(), &filled(route.path)).header("Origin", &server.origin());
    match route.method.as_str() {
        "GET" | "DELETE" => request,
        _ => request.json(&serde_json::json!({})),
    }
}

async fn status(server: &TestServer, request: RawRequest) -> u16 {
    server.connect().await.ask_for_head(&request.bytes()).await.status
}

#[tokio::test]
async fn each_role_may_do_exactly_what_is_listed() {
    let server = TestServer::new().await;
    let may: BTreeMap<&str, &str> = MAY.iter().copied().collect();
    for role in [Role::Agent, Role::Viewer, Role::Approver, Role::Admin] {
        let token = server.token(role).await;
        for route in routes::table() {
            let who = may[route.operation];
            let admitted = who == EVERYONE || who.split(' ').any(|may| may == role.name());
            let got = status(&server, request(&server, &route).bearer(&token)).await;
            match admitted {
                true => assert!(![401, 403].contains(&got), "{role} on {}: {got}", route.operation),
                false => assert_eq!(got, 403, "{role} on {}", route.operation),
            }
        }
    }
}

#[tokio::test]
async fn unauthenticated_caller_may_use_open_routes_only() {
    let server = TestServer::new().await;
    let may: BTreeMap<&str, &str> = MAY.iter().copied().collect();
    for route in routes::table() {
        let got = status(&server, request(&server, &route)).await;
        match may[route.operation] {
            EVERYONE => assert!(![401, 403].contains(&got), "{}: {got}", route.operation),
            _ => assert_eq!(got, 401, "{}", route.operation),
        }
    }
}

#[tokio::test]
async fn socket_peer_is_an_agent_unless_it_sends_a_token() {
    let server = TestServer::new().await;
    let admin = server.token(Role::Admin).await;
    let may: BTreeMap<&str, &str> = MAY.iter().copied().collect();
    for route in routes::table() {
        let who = may[route.operation];
        let admitted = who == EVERYONE || who.split(' ').any(|may| may == "agent");
        let mut line: RawConnection<_> = server.connect_unix().await;
        let got = line.ask_for_head(&request(&server, &route).bytes()).await.status;
        assert_eq!(got == 403, !admitted, "{}: {got}", route.operation);
        assert_ne!(got, 401, "{}", route.operation);
        let mut line = server.connect_unix().await;
        let got = line.ask_for_head(&request(&server, &route).bearer(&admin).bytes()).await.status;
        assert_ne!(got, 403, "{} with a token", route.operation);
    }
}

#[tokio::test]
async fn agent_token_opens_no_admin_route() {
    let server = TestServer::new().await;
    let agent = server.token(Role::Agent).await;
    let mut tried = 0;
    for route in routes::table() {
        let by_agents = route.access.admits(Role::Agent);
        if !by_agents && route.access.admits(Role::Admin) {
            tried += 1;
            let reply = server.send(&request(&server, &route).bearer(&agent)).await;
            assert_eq!((reply.status, reply.code().as_str()), (403, "Forbidden"), "{}", route.operation);
        }
    }
    assert!(tried >= 5, "{tried} routes");
}
