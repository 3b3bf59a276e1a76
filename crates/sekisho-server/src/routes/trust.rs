//! Routes for trust in project files. A file may loosen the rules only with exactly the bytes that a person
//! read.
//!
//! Granting trust is recorded before it takes effect. Withdrawing trust takes effect first: a failure to
//! record must not prevent it.

use std::path::Path;

use axum::Extension;
use axum::extract::State;
use axum::http::{Method, StatusCode};
use sekisho_gate::policy_file_records::{TrustAction, TrustChange, TrustedFile};
use sekisho_host::{
    FilePreview, HostError, PROJECT_CONFIG, TrustCandidate, TrustState, TrustStore, Workspace, diff,
    preview_file,
};
use sekisho_policy::Effect;

use crate::access::Access;
use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::exclusive_jobs::run_blocking;
use crate::json_body::{JsonBody, JsonResponse};
use crate::route::Route;
use crate::wire::trust::{DistrustBody, Project, ProjectList, ProjectState, TrustBody};

/// The largest file that is shown, in bytes. A file that was not shown whole cannot be trusted here.
const SHOWN: usize = 1 << 20;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/api/trust", Access::ADMIN, "listProjects", list)
            .summary("Lists the registered projects, and whether their files are trusted")
            .response::<ProjectList>(200),
        Route::new(Method::POST, "/api/trust", Access::ADMIN, "trustProject", trust)
            .summary("Trusts a project file as it was read, so that its rules may loosen")
            .notes("`sha256` identifies the file as it was read. If the file has changed since, it is not trusted: 409.")
            .request_body::<TrustBody>()
            .response::<Project>(200)
            .error_statuses(&[404, 409]),
        Route::new(Method::DELETE, "/api/trust", Access::ADMIN, "distrustProject", distrust)
            .summary("Withdraws trust from a project file")
            .request_body::<DistrustBody>()
            .response::<Project>(200)
            .error_statuses(&[404]),
    ]
}

async fn list(State(app): State<App>) -> Result<JsonResponse<ProjectList>, ApiError> {
    let store = TrustStore::at(&app.settings().locations.state);
    let roots = app.settings().projects.clone();
    let look = move || roots.iter().map(|root| inspect_project(&store, root).0).collect();
    Ok(JsonResponse(ProjectList { projects: run_blocking(look).await? }))
}

/// A project as it is now, and the file that would be trusted.
fn inspect_project(store: &TrustStore, root: &str) -> (Project, Option<TrustCandidate>) {
    let path = Path::new(root).join(PROJECT_CONFIG);
    let workspace = Workspace::find(Some(Path::new(root)), None, Path::new(root));
    let found = workspace.and_then(|workspace| match workspace.root == Path::new(root) {
        true => store.find(&workspace),
        // A root that has become a link leads to another project's file.
        false => Err(HostError::File {
            path: root.into(),
            fault: "the project has moved; register it again".into(),
        }),
    });
    let mut project = Project {
        root: root.into(),
        path: path.to_string_lossy().into_owned(),
        state: ProjectState::Absent,
        sha256: None,
        text: None,
        diff: None,
        allows: None,
        trusted_at: None,
        trusted_by: None,
        problem: None,
    };
    match found {
        Ok(None) => (project, None),
        Ok(Some(proposal)) => {
            fill(&mut project, &proposal);
            let shown = project.text.is_some();
            (project, Some(proposal).filter(|_| shown))
        }
        Err(error) => {
            project.state = ProjectState::Broken;
            project.problem = Some(error.to_string());
            match preview_file(&path) {
                FilePreview::Text { sha256, text } => {
                    (project.sha256, project.text) = (Some(sha256), Some(text))
                }
                FilePreview::NotShown { sha256, .. } => project.sha256 = sha256,
                FilePreview::Absent => {}
            }
            (project, None)
        }
    }
}

fn fill(project: &mut Project, proposal: &TrustCandidate) {
    let text = &proposal.layer.text;
    let (state, trusted) = match &proposal.state {
        TrustState::Trusted(trusted) => (ProjectState::Trusted, Some(trusted)),
        TrustState::Changed(trusted) => (ProjectState::Changed, Some(trusted)),
        TrustState::Never => (ProjectState::Never, None),
    };
    project.state = state;
    project.sha256 = Some(proposal.sha256());
    project.trusted_at = trusted.map(|trusted| trusted.at);
    project.trusted_by = trusted.map(|trusted| trusted.by.clone());
    let allows = proposal.layer.rules.iter().filter(|stated| stated.effect == Effect::Allow);
    project.allows = Some(allows.count());
    if text.len() > SHOWN {
        let fault = format!("it has {} bytes, more than the {SHOWN} bytes shown here", text.len());
        project.problem = Some(format!("{fault}; read it and run `sekisho trust`"));
        return;
    }
    project.text = Some(text.to_string());
    if let (ProjectState::Changed, Some(last)) = (state, &proposal.last) {
        project.diff = Some(diff(last, text));
    }
}

fn registered(app: &App, root: &str) -> Result<(), ApiError> {
    if app.settings().projects.iter().any(|known| known == root) {
        return Ok(());
    }
    Err(ApiError::not_found(format!("`{root}` is not a registered project")).with_hint(
        "`GET /api/trust` lists the registered projects; `sekisho serve --project DIR` registers one",
    ))
}

fn conflict(message: String) -> ApiError {
    ApiError::new(StatusCode::CONFLICT, "Conflict", message)
}

async fn trust(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    JsonBody(body, _memory): JsonBody<TrustBody>,
) -> Result<JsonResponse<Project>, ApiError> {
    registered(&app, &body.root)?;
    let store = TrustStore::at(&app.settings().locations.state);
    let (root, looking) = (body.root.clone(), store.clone());
    let (project, proposal) = run_blocking(move || inspect_project(&looking, &root)).await?;
    let proposal = proposal.ok_or_else(|| {
        let why = project.problem.clone().unwrap_or_else(|| "there is no project file".into());
        conflict(format!("`{}` cannot be trusted: {why}", project.path))
    })?;
    if !body.sha256.eq_ignore_ascii_case(&proposal.sha256()) {
        return Err(conflict(format!("`{}` has changed since it was read", project.path))
            .with_hint("read it again (`GET /api/trust`), then trust that version"));
    }
    if project.state == ProjectState::Trusted {
        return Ok(JsonResponse(project));
    }
    let file = TrustedFile { sha256: proposal.sha256(), diff: project.diff.clone() };
    let change = |what| TrustChange { root: body.root.clone(), path: project.path.clone(), action: what };
    app.gate().trust_changed(&change(TrustAction::Trusted(file.clone())), who.actor(), &who.name).await?;
    let (by, at, root) = (who.actor().to_string(), app.now(), body.root.clone());
    let accepted = run_blocking(move || {
        store.accept(&proposal, &by, at)?;
        Ok::<_, HostError>(inspect_project(&store, &root).0)
    })
    .await?;
    match accepted {
        Ok(project) => Ok(JsonResponse(project)),
        Err(error) => {
            let change = change(TrustAction::Failed { file, error: error.to_string() });
            app.gate().trust_changed(&change, who.actor(), &who.name).await?;
            let text = change.audit_message(&who.name).sentence();
            Err(ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "NotWritten", text)
                .with_hint("run `sekisho doctor`"))
        }
    }
}

async fn distrust(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    JsonBody(body, _memory): JsonBody<DistrustBody>,
) -> Result<JsonResponse<Project>, ApiError> {
    registered(&app, &body.root)?;
    let store = TrustStore::at(&app.settings().locations.state);
    let root = body.root.clone();
    let revoked = run_blocking(move || {
        let had = store.revoke(&Path::new(&root).join(PROJECT_CONFIG))?;
        Ok::<_, HostError>((had, inspect_project(&store, &root).0))
    })
    .await?;
    let (had, project) = revoked.map_err(|error| {
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "NotWritten", error.to_string())
            .with_hint("run `sekisho doctor`")
    })?;
    if had {
        let (root, path) = (body.root.clone(), project.path.clone());
        let change = TrustChange { root, path, action: TrustAction::Revoked };
        app.gate().trust_changed(&change, who.actor(), &who.name).await?;
    }
    Ok(JsonResponse(project))
}
