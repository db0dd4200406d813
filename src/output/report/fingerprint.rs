//! Fingerprints, by which services recognise a finding of an earlier run.

use crate::group::ids::normal_function;
use crate::leak::Finding;
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// A fingerprint for each finding, from the check, the shape of the stack, the creator and the kind: none
/// of them changes when lines move. If several findings agree in all of that, the second and later ones get
/// a number.
pub(super) fn fingerprints(findings: &[Finding]) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    findings
        .iter()
        .map(|finding| {
            let hash = hash(finding);
            let number = seen.entry(hash.clone()).or_default();
            *number += 1;
            match number {
                1 => hash,
                number => format!("{hash}:{number}"),
            }
        })
        .collect()
}

fn hash(finding: &Finding) -> String {
    let creator = finding.created_by.as_ref().map(|place| normal_function(place.func.as_bytes()));
    let mut hasher = Sha256::new();
    for part in [
        finding.check.as_bytes(),
        finding.shape.as_bytes(),
        &creator.unwrap_or_default(),
        finding.kind.as_deref().unwrap_or_default().as_bytes(),
    ] {
        hasher.update(part);
        hasher.update(b"\n");
    }
    hasher.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;
    use crate::leak::Counts;

    #[test]
    fn lines_and_counts_do_not_matter() {
        let old = Sample::new().review.findings;
        let mut new = old.clone();
        for finding in &mut new {
            finding.counts = Counts::sum(1, [(0, 99)]);
            finding.text.push('!');
            for place in finding.function.iter_mut().chain(&mut finding.created_by) {
                place.line += 10;
                place.func = place.func.replace("func1", "func2");
            }
        }
        assert_eq!(fingerprints(&old), fingerprints(&new));
    }

    #[test]
    fn the_check_the_stack_and_the_creator_matter() {
        let sample = Sample::new().review.findings;
        let first = sample[0].clone();
        let other_check = Finding { check: "other", ..first.clone() };
        let other_shape = Finding { shape: "f".repeat(24), ..first.clone() };
        let other_creator = Finding { created_by: None, ..first.clone() };
        let mut all = fingerprints(&[first, other_check, other_shape, other_creator]);
        assert!(all.iter().all(|one| one.len() == 32), "{all:?}");
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 4);
    }

    #[test]
    fn equal_findings_are_numbered() {
        let first = Sample::new().review.findings[0].clone();
        let all = fingerprints(&[first.clone(), first]);
        assert_eq!(all[1], format!("{}:2", all[0]));
    }
}
