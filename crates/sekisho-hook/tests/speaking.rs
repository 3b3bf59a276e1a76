//! Other agents, in their own words.
