//! Puts limits on itself and then becomes another program. The arguments are a
//! [`HelperPlan`](sekisho_sandbox::HelperPlan).

use std::process::ExitCode;

fn main() -> ExitCode {
    sekisho_sandbox::run(std::env::args_os().skip(1).collect())
}
