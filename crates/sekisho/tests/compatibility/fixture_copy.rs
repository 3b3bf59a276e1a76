//! A copy of the fixtures of one version, in a home and a project of its own.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::serve::test_server::TestServer;
use crate::test_home::TestHome;

/// Where the fixtures were made. Copied files name the new directory instead.
const MADE_AT: &str = "/tmp/sekisho-fixture";

/// Keeps raw inputs, however old the fixtures are.
const KEEP_INPUTS: (&str, &str) = ("SEKISHO_PURGE_AFTER_DAYS", "36500");

pub(crate) fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/0.1.0").join(path)
}

/// The lines of a fixture as JSON.
pub(crate) fn lines(path: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(fixture(path)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Unpacks a compressed fixture.
#[expect(clippy::disallowed_methods, reason = "gzip is on every machine that the tests run on")]
pub(crate) fn unpacked(path: &Path) -> Vec<u8> {
    let output = Command::new("gzip").arg("-dc").arg(path).output().unwrap();
    assert!(output.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// A state directory of an earlier version, and its database.
pub(crate) struct FixtureCopy {
    pub(crate) place: TestHome,
    tokens: Value,
    /// The URL of the PostgreSQL database; `None`: SQLite.
    url: Option<String>,
}

impl FixtureCopy {
    pub(crate) fn sqlite() -> FixtureCopy {
        let copy = FixtureCopy::of("sqlite", None);
        let database = unpacked(&fixture("sqlite/ledger.db.gz"));
        copy.put("ledger.db", database);
        copy
    }

    pub(crate) fn postgres() -> FixtureCopy {
        use sekisho_testkit::postgres::PgServer;
        let dump = std::fs::read_to_string(fixture("postgres/dump.sql")).unwrap();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        FixtureCopy::of("postgres", Some(runtime.block_on(PgServer::shared().restored(&dump))))
    }

    fn of(name: &str, url: Option<String>) -> FixtureCopy {
        let place = TestHome::new();
        TestHome::write(&place.global(), std::fs::read(fixture("sqlite/config.json")).unwrap());
        TestHome::write(&place.project(), std::fs::read(fixture("sqlite/project.json")).unwrap());
        let tokens = std::fs::read_to_string(fixture(name).join("tokens.json")).unwrap();
        let copy = FixtureCopy { place, tokens: serde_json::from_str(&tokens).unwrap(), url };
        std::fs::create_dir_all(copy.state()).unwrap();
        private(&copy.state(), 0o700);
        for file in ["audit.key", "trust.json"] {
            copy.put_moved(&fixture(name).join(file), file);
        }
        for folder in ["trusted", "policy"] {
            copy.put_folder(&fixture(name).join(folder), folder);
        }
        copy
    }

    /// Adds the hook's installation, sessions and spool.
    pub(crate) fn with_hook(self) -> FixtureCopy {
        for folder in ["hooks", "sessions", "spool"] {
            self.put_folder(&fixture("hook").join(folder), folder);
        }
        self
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.place.home().join(".local/state/sekisho")
    }

    /// Replaces the directory of the fixtures by the one of this copy.
    pub(crate) fn moved(&self, text: &str) -> String {
        let project = self.place.home().join("../project").canonicalize().unwrap();
        text.replace(&format!("{MADE_AT}/project"), project.to_str().unwrap())
            .replace(&format!("{MADE_AT}/sqlite"), self.place.home().to_str().unwrap())
            .replace(&format!("{MADE_AT}/postgres"), self.place.home().to_str().unwrap())
    }

    /// The reverse of [`Self::moved`].
    pub(crate) fn moved_back(&self, text: &str) -> String {
        text.replace(self.place.home().to_str().unwrap(), &format!("{MADE_AT}/sqlite"))
    }

    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.state().join(name);
        TestHome::write(&path, bytes);
        private(path.parent().unwrap(), 0o700);
        private(&path, 0o600);
    }

    fn put_moved(&self, from: &Path, name: &str) {
        self.put(name, self.moved(&std::fs::read_to_string(from).unwrap()));
    }

    fn put_folder(&self, from: &Path, name: &str) {
        for entry in from.read_dir().unwrap() {
            let path = entry.unwrap().path();
            self.put_moved(&path, &format!("{name}/{}", path.file_name().unwrap().to_str().unwrap()));
        }
    }

    /// Runs sekisho on the copy, which must succeed. Returns its output.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        let command = self.place.command(arguments);
        let command = match &self.url {
            Some(url) => command.env("DATABASE_URL", url),
            None => command,
        };
        let output = self.place.output(&command.assert());
        assert_eq!(output.code, 0, "{arguments:?}: {}{}", output.out, output.err);
        output.out
    }

    /// Runs sekisho. Returns the JSON on each line of its output.
    pub(crate) fn rows(&self, arguments: &[&str]) -> Vec<Value> {
        self.run(arguments).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub(crate) fn server(&self) -> TestServer {
        let url = self.url.as_deref().map(|url| ("DATABASE_URL", url));
        let variables: Vec<(&str, &str)> = url.into_iter().chain([KEEP_INPUTS]).collect();
        TestServer::start_with(&self.place, &[], &variables)
    }

    /// The `Authorization` header of a credential; `None` for callers without one.
    pub(crate) fn bearer(&self, name: &str) -> Option<String> {
        self.tokens[name].as_str().map(|token| format!("Bearer {token}"))
    }

    /// Sends a request over TCP with the token of that name. Returns the status and the JSON of the response.
    pub(crate) fn ask(
        &self,
        server: &TestServer,
        name: &str,
        request: &str,
        body: Option<&Value>,
    ) -> (u16, Value) {
        let answer = server.request(request, &[("Authorization", &self.bearer(name).unwrap())], body);
        (answer.status, serde_json::from_str(&answer.text).unwrap_or_default())
    }

    /// Verifies the audit log against the heads that were exported when it was made.
    pub(crate) fn verify(&self) {
        let heads = fixture(if self.url.is_some() { "postgres/heads.json" } else { "sqlite/heads.json" });
        self.run(&["audit", "verify", "--head", heads.to_str().unwrap()]);
    }
}

fn private(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}
