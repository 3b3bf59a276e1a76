//! Attacks on the sandbox, one per run: `attacker NAME ARGUMENT…`. Prints `done` if the attack worked, and
//! `denied` with the error if not. For tests only.
#![expect(unsafe_code, reason = "attacks are system calls")]

#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod kernel;
#[cfg(target_os = "linux")]
mod network;
#[cfg(target_os = "linux")]
mod processes;
#[cfg(target_os = "linux")]
mod terminal;

#[cfg(target_os = "linux")]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = files::attack(&words)
        .or_else(|| network::attack(&words))
        .or_else(|| processes::attack(&words))
        .or_else(|| kernel::attack(&words))
        .or_else(|| terminal::attack(&words));
    match outcome {
        None => {
            println!("unknown attack {words:?}");
            std::process::exit(64);
        }
        Some(Ok(())) => println!("done"),
        Some(Err(error)) => {
            println!("denied {error}");
            std::process::exit(1);
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {}

/// The error of a system call that returned this.
#[cfg(target_os = "linux")]
fn check(result: i64) -> std::io::Result<()> {
    if result < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
}
