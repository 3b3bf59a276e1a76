//! Statistics of many measurements of the same thing.

/// Sorted values.
pub struct Percentiles<T>(Vec<T>);

impl<T: Copy + PartialOrd> Percentiles<T> {
    /// Needs at least one value.
    pub fn of(values: impl IntoIterator<Item = T>) -> Percentiles<T> {
        let mut values: Vec<T> = values.into_iter().collect();
        values.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        Percentiles(values)
    }

    /// The value that this share of them does not exceed.
    pub fn at(&self, share: f64) -> T {
        self.0[(share * (self.0.len() - 1) as f64).round() as usize]
    }
}
