//! What holds for any words.
