//! The manual clock.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};

use jiff::SignedDuration;
use sekisho_gate::clock::Clock;
use sekisho_testkit::{ManualClock, block_on};

/// Writes down its name when woken.
struct Bell(&'static str, Arc<Mutex<Vec<&'static str>>>);

impl Wake for Bell {
    fn wake(self: Arc<Bell>) {
        self.1.lock().unwrap().push(self.0);
    }
}

fn seconds(seconds: i64) -> SignedDuration {
    SignedDuration::from_secs(seconds)
}

fn asleep(future: Pin<&mut (dyn Future<Output = ()> + Send)>, bell: Bell) -> bool {
    let waker = Waker::from(Arc::new(bell));
    future.poll(&mut Context::from_waker(&waker)).is_pending()
}

#[test]
fn sleepers_wake_in_the_order_of_their_times() {
    let clock = ManualClock::new();
    let rung = Arc::new(Mutex::new(Vec::new()));
    let start = clock.now();
    let moments = [("c", 30), ("a", 10), ("b", 20), ("never", 99)];
    let mut sleeps: Vec<_> =
        moments.iter().map(|(_, after)| clock.sleep_until(start + seconds(*after))).collect();
    for (sleep, (name, _)) in sleeps.iter_mut().zip(moments) {
        assert!(asleep(sleep.as_mut(), Bell(name, rung.clone())));
    }
    assert_eq!((clock.sleepers(), clock.next_sleeper()), (4, Some(start + seconds(10))));

    clock.advance(seconds(9));
    assert_eq!(*rung.lock().unwrap(), [""; 0]);
    clock.advance(seconds(21));
    assert_eq!(*rung.lock().unwrap(), ["a", "b", "c"]);
    for (sleep, (name, after)) in sleeps.iter_mut().zip(moments) {
        assert_eq!(asleep(sleep.as_mut(), Bell(name, rung.clone())), after == 99, "{name}");
    }
}

#[test]
fn dropped_sleeper_is_removed() {
    let clock = ManualClock::new();
    let rung = Arc::new(Mutex::new(Vec::new()));
    let mut sleep = clock.sleep_until(clock.now() + seconds(1));
    assert!(asleep(sleep.as_mut(), Bell("gone", rung.clone())));
    drop(sleep);
    assert_eq!(clock.sleepers(), 0);
    clock.advance(seconds(2));
    assert_eq!(*rung.lock().unwrap(), [""; 0]);
}

#[test]
fn setting_the_clock_wakes_another_thread() {
    let clock = ManualClock::new();
    let moment = clock.now() + seconds(3600);
    std::thread::scope(|threads| {
        let sleeper = threads.spawn(|| {
            block_on(clock.sleep_until(moment));
            clock.now()
        });
        while clock.sleepers() == 0 {
            std::thread::yield_now();
        }
        clock.set(moment);
        assert_eq!(sleeper.join().unwrap(), moment);
    });
}
