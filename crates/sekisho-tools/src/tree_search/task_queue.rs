//! Tasks that threads share, where a task can add more.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A stack of tasks. It ends when no task is left and none is being done.
pub(super) struct TaskQueue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    tasks: Vec<T>,
    /// Tasks that are waiting or being done.
    open: usize,
}

impl<T> TaskQueue<T> {
    pub(super) fn new(first: T) -> TaskQueue<T> {
        TaskQueue { state: Mutex::new(State { tasks: vec![first], open: 1 }), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, more: impl IntoIterator<Item = T>) {
        let mut state = self.state();
        let before = state.tasks.len();
        state.tasks.extend(more);
        let added = state.tasks.len() - before;
        state.open += added;
        drop(state);
        match added {
            0 => {}
            1 => self.changed.notify_one(),
            _ => self.changed.notify_all(),
        }
    }

    /// Drops the tasks that wait.
    pub(super) fn clear(&self) {
        let mut state = self.state();
        state.open -= state.tasks.len();
        state.tasks.clear();
    }

    /// The next task, the one that was added last. Waits while other threads may add some. `None` at the end.
    pub(super) fn next(&self) -> Option<Task<'_, T>> {
        let mut state = self.state();
        loop {
            if let Some(task) = state.tasks.pop() {
                return Some(Task { task: Some(task), queue: self });
            }
            if state.open == 0 {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A task that is being done. It is done when this is dropped, also by a panic.
pub(super) struct Task<'q, T> {
    task: Option<T>,
    queue: &'q TaskQueue<T>,
}

impl<T> Task<'_, T> {
    pub(super) fn take(&mut self) -> Option<T> {
        self.task.take()
    }
}

impl<T> Drop for Task<'_, T> {
    fn drop(&mut self) {
        let mut state = self.queue.state();
        state.open -= 1;
        if state.open == 0 {
            drop(state);
            self.queue.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn every_task_is_done_once_by_any_number_of_threads() {
        for threads in [1, 2, 5] {
            let queue = TaskQueue::new(3_usize);
            let done = AtomicUsize::new(0);
            std::thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(|| {
                        while let Some(mut task) = queue.next() {
                            let depth = task.take().unwrap();
                            done.fetch_add(1, Ordering::Relaxed);
                            queue.add((0..depth).map(|_| depth - 1));
                        }
                    });
                }
            });
            // 1 + 3 + 3 × 2 + 3 × 2 × 1
            assert_eq!(done.into_inner(), 16);
        }
    }

    #[test]
    fn clearing_ends_it() {
        let queue = TaskQueue::new(1);
        let task = queue.next();
        queue.add([2, 3]);
        queue.clear();
        drop(task);
        assert!(queue.next().is_none());
    }
}
