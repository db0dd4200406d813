//! Diffs of small sketched profiles.

use super::*;
