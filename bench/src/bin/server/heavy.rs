//! Decisions of one credential while others send large calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sekisho_bench::spread::Spread;
use sekisho_bench::table::{Table, span};
use tokio::task::JoinHandle;

use crate::Failure;
use crate::bodies::{SHAPES, body};
use crate::http::Connection;
use crate::place::{Place, Server};

const DECIDED: &str = r#"{"toolName":"Bash","input":{"command":"git status --short"},"cwd":"/"}"#;
/// How many large bodies are sent at once.
const BODIES: usize = 100;
/// The pause between two decisions.
const PAUSE: Duration = Duration::from_millis(2);

/// What came of a round.
struct Beside {
    /// How long each decision took.
    times: Spread<Duration>,
    /// How many decisions there were.
    count: usize,
    /// How many of the large calls became questions.
    kept: usize,
    /// How long it took until the last of them was answered.
    took: Duration,
    /// Memory that the server took at most, in times of one body.
    memory: f64,
}

/// Prints how long decisions take alone and beside large bodies of each shape, each on a server of its own, and gives
/// the worst p99.
pub async fn print() -> Result<Duration, Failure> {
    let columns = ["", "credentials", "kept", "took", "decisions", "p50", "p99", "most", "memory, bodies"];
    let title = format!("decide beside {BODIES} large bodies at once");
    let mut table = Table::new(title, columns.map(String::from));
    let mut worst = Duration::ZERO;
    let loads = [("alone", 0), (SHAPES[0], 1)].into_iter().chain(SHAPES.map(|shape| (shape, 4)));
    for (shape, credentials) in loads {
        let server = Server::sekisho(&Place::memory()?).await?;
        let beside = round(&server, shape, credentials).await?;
        server.stop().await?;
        worst = worst.max(beside.times.at(0.99));
        table.row([
            shape.into(),
            credentials.to_string(),
            beside.kept.to_string(),
            span(beside.took),
            beside.count.to_string(),
            span(beside.times.at(0.5)),
            span(beside.times.at(0.99)),
            span(beside.times.at(1.0)),
            if credentials == 0 { "-".into() } else { format!("{:.0}", beside.memory) },
        ]);
    }
    table.print();
    Ok(worst)
}

/// Decides steadily while bodies of so many credentials arrive; of none: alone, for a while.
async fn round(server: &Server, shape: &str, credentials: usize) -> Result<Beside, Failure> {
    let agents = server.agents.get(..credentials).ok_or("too few tokens")?;
    let mut callers = Vec::new();
    for (number, agent) in agents.iter().cycle().take(BODIES).enumerate() {
        callers.push((Connection::to(server, agent).await?, body(shape, number)));
    }
    let size = callers.first().map_or(1, |(_, body)| body.len());
    let before = server.resident()?;
    server.forget_peak()?;
    let ended = Arc::new(AtomicBool::new(false));
    let deciding = decide(server, &ended)?;
    let start = Instant::now();
    let sent: Vec<JoinHandle<u16>> = callers.into_iter().map(|(caller, body)| send(caller, body)).collect();
    if sent.is_empty() {
        tokio::time::sleep(Duration::from_secs(3)).await;
    }
    let mut kept = 0;
    for one in sent {
        kept += usize::from(one.await? == 202);
    }
    let took = start.elapsed();
    ended.store(true, Ordering::Relaxed);
    let times = deciding.join().map_err(|_| "deciding broke off")??;
    let memory = (server.peak()? - before) / size as f64;
    Ok(Beside { count: times.len(), times: Spread::of(times), kept, took, memory })
}

/// Sends a large call. A server that has no room says so and hangs up before it has read all.
fn send(mut caller: Connection, body: String) -> JoinHandle<u16> {
    tokio::spawn(async move {
        let sent = caller.send("POST", "/api/can-use-tool?wait=false", Some(&body)).await;
        let answer = caller.receive().await.map(|(status, _)| status);
        sent.and(answer).unwrap_or(0)
    })
}

/// Decides one after the other on a thread of its own, so that what is measured is not how busy this process is.
fn decide(
    server: &Server,
    ended: &Arc<AtomicBool>,
) -> Result<std::thread::JoinHandle<Result<Vec<Duration>, Failure>>, Failure> {
    let (address, approver) = (server.address.clone(), server.approver.clone());
    let ended = Arc::clone(ended);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(std::thread::spawn(move || {
        runtime.block_on(async {
            let mut connection = Connection::open(&address, &approver).await?;
            let mut times = Vec::new();
            while !ended.load(Ordering::Relaxed) || times.is_empty() {
                let asked = Instant::now();
                connection.send("POST", "/api/decide", Some(DECIDED)).await?;
                let (status, said) = connection.receive().await?;
                if status != 200 {
                    return Err(format!("decide: {status}: {}", String::from_utf8_lossy(&said)).into());
                }
                times.push(asked.elapsed());
                tokio::time::sleep(PAUSE).await;
            }
            Ok(times)
        })
    }))
}
