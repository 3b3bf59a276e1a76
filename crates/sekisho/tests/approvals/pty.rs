//! A pseudo-terminal, and what is on its screen.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use crate::serve::test_server::LONG;
use crate::test_home::TestHome;

const COLUMNS: u16 = 100;
const ROWS: u16 = 48;

pub(crate) struct PtyTerminal {
    master: File,
    slave: File,
    screen: Arc<Mutex<vt100::Parser>>,
    child: Child,
}

impl PtyTerminal {
    /// Runs sekisho on a terminal of its own.
    #[expect(clippy::disallowed_methods, reason = "the test needs a process on a terminal")]
    pub(crate) fn run(place: &TestHome, arguments: &[&str], variables: &[(&str, &str)]) -> PtyTerminal {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let slave = File::from(rustix::fs::open(name, flags, Mode::empty()).unwrap());
        let size = Winsize { ws_row: ROWS, ws_col: COLUMNS, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size).unwrap();
        let side = || slave.try_clone().unwrap();
        // `setsid` makes the program the owner of the terminal, as a shell would.
        let child = Command::new("setsid")
            .arg("--ctty")
            .arg(snapbox::cmd::cargo_bin!("sekisho"))
            .args(arguments)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("TERM", "xterm")
            .env("HOME", place.home())
            .env("USER", "tester")
            .envs(variables.iter().copied())
            .current_dir(place.home().join("../project"))
            .stdin(side())
            .stdout(side())
            .stderr(side())
            .spawn()
            .unwrap();
        let master = File::from(master);
        let screen = Arc::new(Mutex::new(vt100::Parser::new(ROWS, COLUMNS, 500)));
        let (mut reader, seen) = (master.try_clone().unwrap(), Arc::clone(&screen));
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                seen.lock().unwrap().process(bytes.get(..count).unwrap());
            }
        });
        PtyTerminal { master, slave, screen, child }
    }

    /// The text on the screen.
    pub(crate) fn screen_text(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    /// The colours on the screen.
    pub(crate) fn colours(&self) -> Vec<vt100::Color> {
        let parser = self.screen.lock().unwrap();
        let cells = (0..ROWS).flat_map(|row| (0..COLUMNS).map(move |column| (row, column)));
        let colours = cells.filter_map(|(row, column)| Some(parser.screen().cell(row, column)?.fgcolor()));
        colours.filter(|colour| *colour != vt100::Color::Default).collect()
    }

    /// Waits until a text is on the screen.
    #[track_caller]
    pub(crate) fn wait_for_text(&self, text: &str) {
        let began = Instant::now();
        while !self.screen_text().contains(text) {
            assert!(began.elapsed() < LONG, "`{text}` does not appear:\n{}", self.screen_text());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Presses keys, all at once.
    pub(crate) fn press(&self, keys: &str) {
        (&self.master).write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until keys count again: several times the pause after drawing.
    pub(crate) fn settle(&self) {
        std::thread::sleep(Duration::from_millis(1500));
    }

    /// Whether the terminal is back in line mode with echo.
    pub(crate) fn is_restored(&self) -> bool {
        let modes = tcgetattr(&self.slave).unwrap().local_modes;
        modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
    }

    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = i32::try_from(self.child.id()).unwrap();
        rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), signal).unwrap();
    }

    /// Waits for the process to end.
    #[track_caller]
    pub(crate) fn ended(&mut self) -> ExitStatus {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(began.elapsed() < LONG, "it does not end:\n{}", self.screen_text());
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for PtyTerminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
