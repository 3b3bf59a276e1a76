//! Names, parameters, defaults, messages and result fields of `web_fetch` and `web_search`, one by one.

use sekisho_tools::web_fetch::{self, WebFetch};
use sekisho_tools::web_search::{self, ApiKey, WebSearch};
use sekisho_tools::{Tool, ToolCategory, ToolConfig, ToolContext};
use serde_json::{Value, json};

use super::server_double::{ServerDouble, response};
use super::web_fixture::WebFixture;
use crate::project::Project;

fn fields(value: &Value) -> Vec<String> {
    let mut names: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
    names.sort_unstable();
    names
}

#[test]
fn definitions() {
    let text = |description: &str| json!({ "type": "string", "description": description });
    let number = |most: u64, description: &str| json!({ "type": "integer", "minimum": 1, "maximum": most, "description": description });
    let search = WebSearch::new(None).unwrap();
    let tools: [(&dyn Tool, &str, &str, Value); 2] = [
        (
            &WebFetch::new(),
            "web_fetch",
            "Fetch content from a web URL. Returns the page text content (HTML tags stripped). Use this to read \
             documentation, articles, or any public web page.",
            json!({
                "type": "object",
                "properties": {
                    "url": text("The URL to fetch (must start with http:// or https://)"),
                    "max_length": number(100_000, "Maximum characters to return (default: 50000, max: 100000)"),
                },
                "required": ["url"],
            }),
        ),
        (
            &search,
            "web_search",
            "Search the web for information. Returns a list of search results with titles, URLs, and snippets. Use \
             this to find recent information, documentation, or market research.",
            json!({
                "type": "object",
                "properties": {
                    "query": text("The search query"),
                    "num_results": number(20, "Number of results to return (default: 5, max: 20)"),
                },
                "required": ["query"],
            }),
        ),
    ];
    for (tool, name, description, schema) in tools {
        let definition = tool.definition();
        assert_eq!((tool.name(), tool.category()), (name, ToolCategory::ReadOnly));
        assert_eq!((definition.name.as_str(), definition.description.as_str()), (name, description));
        assert_eq!(definition.input_schema, schema);
        assert!(!tool.starts_programs());
    }
    assert_eq!(
        (web_fetch::DEFAULT_LENGTH, web_fetch::MAX_LENGTH, web_fetch::MAX_REDIRECTS),
        (50_000, 100_000, 5)
    );
    assert_eq!(web_fetch::MAX_BODY, 10 << 20);
    assert_eq!((web_search::DEFAULT_RESULTS, web_search::MAX_RESULTS), (5, 20));
    assert_eq!(web_search::ENDPOINT, "https://api.search.brave.com/res/v1/web/search");
}

#[test]
fn check_messages() {
    let project = Project::new();
    let search = WebSearch::new(Some(ApiKey::new("key"))).unwrap();
    let fetch = WebFetch::new();
    let rows: [(&dyn Tool, Value, Result<(), &str>); 7] = [
        (&fetch, json!({}), Err("Missing 'url' parameter")),
        (&fetch, json!({ "url": "ftp://example.com" }), Err("URL must start with http:// or https://")),
        (&fetch, json!({ "url": 1 }), Err("Parameter 'url' must be a string")),
        (&fetch, json!({ "url": "https://example.com" }), Ok(())),
        (&search, json!({}), Err("Missing 'query' parameter")),
        (&search, json!({ "query": "  " }), Err("Invalid 'query' parameter: it is empty")),
        (&search, json!({ "query": "rust" }), Ok(())),
    ];
    for (tool, input, expected) in rows {
        assert_eq!(tool.check(&input, &project.context), expected.map_err(str::to_owned), "{input}");
    }
    let long = json!({ "query": "a".repeat(2001) });
    assert_eq!(
        search.check(&long, &project.context),
        Err("Invalid 'query' parameter: it is longer than 2000 characters".into())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn web_fetch_results_and_messages() {
    let fixture = WebFixture::new();
    let page = fixture.page(&ServerDouble::with_page("text/html", "<title>T</title><p>é</p>").url("/")).await;
    assert_eq!(
        fields(&page),
        [
            "charset",
            "content",
            "content_length",
            "content_type",
            "final_url",
            "notes",
            "redirects",
            "status",
            "title",
            "total_length",
            "truncated_chars",
            "url"
        ]
    );
    assert_eq!(
        (&page["status"], &page["content"], &page["content_length"], &page["title"]),
        (&json!(200), &json!("é"), &json!(1), &json!("T"))
    );
    for (status, message) in [
        ("404 Not Found", "HTTP 404 Not Found for "),
        ("500 X", "HTTP 500 Internal Server Error for "),
        ("304 Not Modified", "HTTP 304 Not Modified for "),
        ("301 Moved", "HTTP 301 Moved Permanently for "),
    ] {
        let server = ServerDouble::sending(format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n"));
        assert_eq!(fixture.failure(&server.url("/x")).await, format!("{message}{}", server.url("/x")));
    }
    let nobody = ServerDouble::with_page("text/plain", "x").url_at("nobody.example", "/");
    assert!(fixture.failure(&nobody).await.starts_with("HTTP request failed: "));
}

#[tokio::test(flavor = "multi_thread")]
async fn length_is_limited_in_characters() {
    let fixture = WebFixture::new();
    let server = ServerDouble::sending(response("text/plain; charset=utf-8", "日本語".repeat(50_000)));
    let run = async |max_length: Value| {
        let input = json!({ "url": server.url("/"), "max_length": max_length });
        let result = fixture.workshop.run("web_fetch", input).await.unwrap();
        serde_json::from_str::<Value>(&result.content).unwrap()
    };
    let page = run(json!(4)).await;
    assert_eq!(page["content"], "日本語日...\n\n[Truncated: 150000 total chars]");
    assert_eq!((&page["total_length"], &page["truncated_chars"]), (&json!(150_000), &json!(149_996)));
    assert_eq!(page["content_length"], json!(page["content"].as_str().unwrap().chars().count()));
    let kept =
        |page: &Value| page["content"].as_str().unwrap().split("...\n").next().unwrap().chars().count();
    for (given, expected) in
        [(1, 1), (0, 1), (-5, 1), (100_000, 100_000), (100_001, 100_000), (1_i64 << 40, 100_000)]
    {
        assert_eq!(kept(&run(json!(given)).await), expected, "{given}");
    }
    assert_eq!(kept(&fixture.page(&server.url("/")).await), 50_000);
    let page = fixture.page(&ServerDouble::with_page("text/plain", "a".repeat(50_000)).url("/")).await;
    assert_eq!((&page["content_length"], &page["truncated_chars"]), (&json!(50_000), &json!(0)));
}

#[test]
fn settings_reach_the_tool() {
    let project = Project::new();
    let mut ctx: ToolContext = project.context.clone();
    assert_eq!((ctx.http_timeout.as_secs(), ctx.respect_robots, &ctx.allowed_hosts), (30, false, &None));
    let config = json!({ "allowed_hosts": ["docs.example"], "http_timeout_secs": 7, "respect_robots": true });
    let config: ToolConfig = serde_json::from_value(config).unwrap();
    config.apply("web_fetch", &mut ctx).unwrap();
    assert_eq!((ctx.http_timeout.as_secs(), ctx.respect_robots), (7, true));
    assert_eq!(ctx.allowed_hosts, Some(vec!["docs.example".to_owned()]));
    assert_eq!(ctx.network, sekisho_tools::Network::Off, "programs still have no network");
    let tool = WebFetch::new();
    assert!(tool.check(&json!({ "url": "https://example.com/" }), &ctx).is_err());
    assert!(tool.check(&json!({ "url": "https://docs.example/" }), &ctx).is_ok());
}
