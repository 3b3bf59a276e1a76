//! Attacks on files outside the writable directory. `inside` is in it, `outside` is a file beside it.

use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt, PermissionsExt, symlink};

use crate::check;

fn path(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}

pub(crate) fn attack(words: &[&str]) -> Option<io::Result<()>> {
    Some(match words {
        ["write", file] => {
            OpenOptions::new().write(true).open(file).and_then(|mut file| file.write_all(b"x"))
        }
        ["append", file] => {
            OpenOptions::new().append(true).open(file).and_then(|mut file| file.write_all(b"x"))
        }
        ["read_write", file] => OpenOptions::new().read(true).write(true).open(file).map(drop),
        ["truncating_open", file] => OpenOptions::new().write(true).truncate(true).open(file).map(drop),
        ["truncate", file] => check(i64::from(unsafe { libc::truncate(path(file).as_ptr(), 0) })),
        ["read_only_truncate", file] => {
            let flags = libc::O_RDONLY | libc::O_TRUNC;
            check(i64::from(unsafe { libc::open(path(file).as_ptr(), flags) }))
        }
        ["create", file] => File::create(file).map(drop),
        ["create_by_openat2", file] => create_by_openat2(file),
        ["set_id", call, mode, file] => set_id(call, i64::from_str_radix(mode, 8).unwrap_or_default(), file),
        ["reopen_path_descriptor", file] => {
            let opened = OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(file);
            opened.and_then(|file| {
                use std::os::fd::AsRawFd;
                OpenOptions::new().write(true).open(format!("/proc/self/fd/{}", file.as_raw_fd())).map(drop)
            })
        }
        ["temporary_file", dir] => {
            OpenOptions::new().write(true).custom_flags(libc::O_TMPFILE).open(dir).map(drop)
        }
        ["rename", from, to] => fs::rename(from, to),
        ["exchange", from, to] => check(unsafe {
            libc::syscall(
                libc::SYS_renameat2,
                libc::AT_FDCWD,
                path(from).as_ptr(),
                libc::AT_FDCWD,
                path(to).as_ptr(),
                2,
            )
        }),
        ["hard_link", from, to] => fs::hard_link(from, to),
        ["symlink", to, link] => symlink(to, link),
        ["write_through_symlink", file, link] => {
            let _ = fs::remove_file(link);
            symlink(file, link).and_then(|()| OpenOptions::new().write(true).open(link).map(drop))
        }
        ["unlink", file] => fs::remove_file(file),
        ["mkdir", dir] => fs::create_dir(dir),
        ["rmdir", dir] => fs::remove_dir(dir),
        ["fifo", file] => check(i64::from(unsafe { libc::mkfifo(path(file).as_ptr(), 0o600) })),
        ["device", file] => check(i64::from(unsafe {
            libc::mknod(path(file).as_ptr(), libc::S_IFBLK | 0o600, libc::makedev(8, 0))
        })),
        ["own_memory"] => {
            let target = [0_u8; 1];
            let memory = OpenOptions::new().write(true).open("/proc/self/mem");
            memory.and_then(|memory| memory.write_at(b"x", target.as_ptr() as u64).map(drop))
        }
        ["memory_file", attack @ ..] => run_from_memory(attack),
        _ => return open_for_reading(words).or_else(|| change_metadata(words)),
    })
}

fn open_for_reading(words: &[&str]) -> Option<io::Result<()>> {
    Some(match words {
        ["read", file] => File::open(file).and_then(|mut file| file.read(&mut [0; 16])).map(drop),
        ["open", file] => File::open(file).map(drop),
        ["lease", file] => File::open(file).and_then(|file| {
            use std::os::fd::AsRawFd;
            check(i64::from(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLEASE, libc::F_RDLCK) }))
        }),
        _ => return None,
    })
}

fn change_metadata(words: &[&str]) -> Option<io::Result<()>> {
    Some(match words {
        ["chmod", file] => fs::set_permissions(file, fs::Permissions::from_mode(0o777)),
        ["chown", file] => std::os::unix::fs::chown(file, Some(1), Some(1)),
        ["times", file] => check(i64::from(unsafe {
            libc::utimensat(libc::AT_FDCWD, path(file).as_ptr(), std::ptr::null(), 0)
        })),
        ["attribute", file] => check(i64::from(unsafe {
            let (name, value) = (c"user.sekisho", b"x");
            libc::setxattr(path(file).as_ptr(), name.as_ptr(), value.as_ptr().cast(), 1, 0)
        })),
        _ => return None,
    })
}

fn create_by_openat2(file: &str) -> io::Result<()> {
    let how = [(libc::O_CREAT | libc::O_WRONLY) as u64, 0o600, 0];
    check(unsafe {
        libc::syscall(libc::SYS_openat2, libc::AT_FDCWD, path(file).as_ptr(), how.as_ptr(), size_of_val(&how))
    })
}

/// Makes a file with a mode, or gives it one, by a system call.
fn set_id(call: &str, mode: i64, file: &str) -> io::Result<()> {
    use std::os::fd::AsRawFd;

    let here = i64::from(libc::AT_FDCWD);
    let create = i64::from(libc::O_CREAT | libc::O_WRONLY);
    let unnamed = i64::from(libc::O_TMPFILE | libc::O_WRONLY);
    let file = path(file);
    let name = file.as_ptr() as i64;
    let (number, arguments) = match call {
        "fchmod" => {
            let opened = File::create(file.to_str().unwrap_or_default())?;
            // The bits beyond the mode mean nothing to the kernel.
            let mode = mode | 1 << 40;
            return check(unsafe { libc::syscall(libc::SYS_fchmod, opened.as_raw_fd(), mode) });
        }
        "fchmodat" => (libc::SYS_fchmodat, [here, name, mode, 0]),
        "fchmodat2" => (452, [here, name, mode, 0]),
        "openat" => (libc::SYS_openat, [here, name, create, mode]),
        "unnamed" => (libc::SYS_openat, [here, c".".as_ptr() as i64, unnamed, mode]),
        "mknodat" => (libc::SYS_mknodat, [here, name, i64::from(libc::S_IFREG) | mode, 0]),
        #[cfg(target_arch = "x86_64")]
        "chmod" => (libc::SYS_chmod, [name, mode, 0, 0]),
        #[cfg(target_arch = "x86_64")]
        "open" => (libc::SYS_open, [name, create, mode, 0]),
        #[cfg(target_arch = "x86_64")]
        "creat" => (libc::SYS_creat, [name, mode, 0, 0]),
        #[cfg(target_arch = "x86_64")]
        "mknod" => (libc::SYS_mknod, [name, i64::from(libc::S_IFREG) | mode, 0, 0]),
        _ => return Err(io::Error::other("unknown call")),
    };
    let [a, b, c, d] = arguments;
    check(unsafe { libc::syscall(number, a, b, c, d) })
}

/// Copies this program into memory and runs another attack from there.
fn run_from_memory(attack: &[&str]) -> io::Result<()> {
    use std::os::fd::{AsRawFd, FromRawFd};
    use std::os::unix::process::CommandExt;

    let number = unsafe { libc::memfd_create(c"program".as_ptr(), 0) };
    check(i64::from(number))?;
    let mut memory = unsafe { File::from_raw_fd(number) };
    memory.write_all(&fs::read("/proc/self/exe")?)?;
    #[expect(clippy::disallowed_methods, reason = "an attack")]
    let mut program = std::process::Command::new(format!("/proc/self/fd/{}", memory.as_raw_fd()));
    Err(program.args(attack).exec())
}
