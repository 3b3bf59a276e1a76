//! Runs a program with a terminal of its own as standard input, and prints what it says and the mode of the terminal
//! afterwards.

use std::ffi::CStr;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};

use crate::check;

pub(crate) fn attack(words: &[&str]) -> Option<io::Result<()>> {
    match words {
        ["terminal", program, arguments @ ..] => Some(run(program, arguments)),
        _ => None,
    }
}

fn run(program: &str, arguments: &[&str]) -> io::Result<()> {
    let number = unsafe { libc::posix_openpt(libc::O_RDWR | libc::O_NOCTTY) };
    check(i64::from(number))?;
    let terminal = unsafe { File::from_raw_fd(number) };
    check(i64::from(unsafe { libc::unlockpt(terminal.as_raw_fd()) }))?;
    let mut name = [0; 64];
    check(-i64::from(unsafe { libc::ptsname_r(terminal.as_raw_fd(), name.as_mut_ptr(), name.len()) }))?;
    let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
    fs::set_permissions(&name, fs::Permissions::from_mode(0o620))?;
    let input = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NOCTTY).open(&name)?;
    #[expect(clippy::disallowed_methods, reason = "an attack")]
    let output = std::process::Command::new(program).args(arguments).stdin(input).output()?;
    print!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    println!("mode {:o}", fs::metadata(&name)?.permissions().mode() & 0o777);
    Ok(())
}
