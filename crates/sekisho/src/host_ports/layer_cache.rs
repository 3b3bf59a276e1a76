//! LRU cache of config layers, keyed by the project files that apply to a call.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sekisho_host::{LastGoodDenies, Locations, ProjectFiles, ReloadingLayers};
use tokio::sync::watch;

/// Number of entries kept besides registered roots; the least recently used is dropped first.
const REMEMBERED: usize = 64;

/// Calls to which the same project files apply share an entry.
pub(super) struct LayerCache {
    locations: Locations,
    last_good: LastGoodDenies,
    registered: Mutex<BTreeSet<PathBuf>>,
    /// The numbers of device and inode of roots that must stay the same directory.
    identified: Mutex<BTreeMap<PathBuf, (u64, u64)>>,
    known: Mutex<CacheEntries>,
    /// Gives every load its own revision, so that an entry that is dropped and loaded again never reuses an
    /// old revision.
    marks: AtomicU64,
    generation: watch::Sender<u64>,
}

#[derive(Default)]
struct CacheEntries {
    places: BTreeMap<ProjectFiles, CacheEntry>,
    /// Counts lookups, for LRU.
    turn: u64,
}

struct CacheEntry {
    place: Arc<Mutex<CachedLayers>>,
    used: u64,
    pinned: bool,
}

struct CachedLayers {
    live: ReloadingLayers,
    mark: u64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LayerCache {
    pub(super) fn new(locations: Locations) -> LayerCache {
        LayerCache {
            locations,
            last_good: LastGoodDenies::default(),
            registered: Mutex::default(),
            identified: Mutex::default(),
            known: Mutex::default(),
            marks: AtomicU64::new(0),
            generation: watch::Sender::new(1),
        }
    }

    pub(super) fn locations(&self) -> &Locations {
        &self.locations
    }

    pub(super) fn register(&self, root: &Path) {
        lock(&self.registered).insert(root.into());
    }

    pub(super) fn identify(&self, root: &Path, device: u64, inode: u64) {
        lock(&self.identified).insert(root.into(), (device, inode));
    }

    pub(super) fn is_registered(&self, root: &Path) -> bool {
        lock(&self.registered).contains(root)
    }

    /// The project files that apply to a caller. Links are resolved each time, because they may have changed.
    pub(super) fn projects(&self, root: Option<&str>, cwd: Option<&str>) -> ProjectFiles {
        let (root, cwd) = (root.map(Path::new), cwd.map(Path::new));
        let mut projects = ProjectFiles::restrict_only(root.into_iter().chain(cwd));
        let identity = root.and_then(|root| Some((root, *lock(&self.identified).get(root)?)));
        if let Some((root, (device, inode))) = identity {
            projects = projects.with_root_identity(root, device, inode);
        }
        match root.filter(|root| self.is_registered(root)) {
            Some(root) => projects.with_loosening_root(root),
            None => projects,
        }
    }

    /// The layers of these project files, after checking the files for changes, and their revision.
    pub(super) fn with_layers<T>(
        &self,
        root: Option<&str>,
        cwd: Option<&str>,
        see: impl FnOnce(&ReloadingLayers, u64) -> T,
    ) -> T {
        let place = self.place(self.projects(root, cwd), false);
        let mut place = lock(&place);
        if place.live.reload_if_changed() {
            place.mark = self.mark();
            self.notify_changed();
        }
        see(&place.live, place.mark)
    }

    /// Keeps an entry permanently.
    pub(super) fn pin(&self, projects: ProjectFiles) {
        self.place(projects, true);
    }

    /// Reads all files again.
    pub(super) fn reload(&self) {
        let places: Vec<_> =
            lock(&self.known).places.values().map(|entry| Arc::clone(&entry.place)).collect();
        let mut changed = false;
        for place in places {
            let mut place = lock(&place);
            if place.live.reload() {
                place.mark = self.mark();
                changed = true;
            }
        }
        if changed {
            self.notify_changed();
        }
    }

    /// Notifies subscribers of a change.
    pub(super) fn notify_changed(&self) {
        self.generation.send_modify(|generation| *generation += 1);
    }

    pub(super) fn generation(&self) -> watch::Receiver<u64> {
        self.generation.subscribe()
    }

    fn mark(&self) -> u64 {
        self.marks.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn place(&self, projects: ProjectFiles, pinned: bool) -> Arc<Mutex<CachedLayers>> {
        if let Some(place) = lock(&self.known).get(&projects, pinned) {
            return place;
        }
        // Load without holding the lock. If another thread was faster, its entry stays.
        let live = ReloadingLayers::read(self.locations.clone(), projects.clone(), self.last_good.clone());
        let place = Arc::new(Mutex::new(CachedLayers { live, mark: self.mark() }));
        let mut known = lock(&self.known);
        known.get(&projects, pinned).unwrap_or_else(|| known.put(projects, place, pinned))
    }
}

impl CacheEntries {
    fn get(&mut self, projects: &ProjectFiles, pin: bool) -> Option<Arc<Mutex<CachedLayers>>> {
        self.turn += 1;
        let entry = self.places.get_mut(projects)?;
        entry.used = self.turn;
        entry.pinned |= pin;
        Some(Arc::clone(&entry.place))
    }

    fn put(
        &mut self,
        projects: ProjectFiles,
        place: Arc<Mutex<CachedLayers>>,
        pinned: bool,
    ) -> Arc<Mutex<CachedLayers>> {
        let loose = self.places.iter().filter(|(_, entry)| !entry.pinned);
        if loose.clone().count() >= REMEMBERED {
            let oldest = loose.min_by_key(|(_, entry)| entry.used).map(|(projects, _)| projects.clone());
            if let Some(oldest) = oldest {
                self.places.remove(&oldest);
            }
        }
        self.places.insert(projects, CacheEntry { place: Arc::clone(&place), used: self.turn, pinned });
        place
    }
}
