//! Frames that a proto itself wants left out: `drop_frames`, except `keep_frames`.

use super::cut::{Cuts, Step};
use super::pattern;
use super::site::{Pattern, Sites};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::LIMITS;
use crate::profile::{InputId, Profile, SampleId, StrId, WarningKind};
use std::collections::BTreeMap;

/// Removes from each stack the outermost frame that its input wants dropped, and all that it calls.
/// A pattern that isn't valid drops nothing, and a warning says so. Where inputs have more patterns than
/// [`drop_frames`](crate::limits::Limits::drop_frames), the last ones drop nothing, and are in
/// [`Profile::unread`].
pub fn drop_frames(profile: &mut Profile) {
    let mut asked: BTreeMap<(StrId, StrId), Vec<InputId>> = BTreeMap::new();
    for (id, input) in profile.inputs() {
        let header = &input.header;
        if header.drop_frames != StrId::EMPTY {
            asked.entry((header.drop_frames, header.keep_frames)).or_default().push(id);
        }
    }
    for (at, ((drop, keep), inputs)) in asked.into_iter().enumerate() {
        if at >= LIMITS.drop_frames {
            inputs.into_iter().for_each(|id| refuse(profile, id));
            continue;
        }
        match step(profile, drop, keep) {
            Ok(step) => apply(profile, step, &inputs),
            Err(error) => {
                // The lines below the first show the pattern, which nobody wrote here.
                let what = error.to_string().lines().next().unwrap_or_default().to_owned();
                for id in inputs {
                    let text = format!("{what}; no frames are dropped");
                    profile.inputs[id.index()].warn(WarningKind::Note, None, text);
                }
            }
        }
    }
}

fn refuse(profile: &mut Profile, id: InputId) {
    let most = LIMITS.drop_frames;
    let what = format!(
        "no frames are dropped: other inputs have {most} other values of drop_frames (drop_frames)"
    );
    let error = Error::new(ErrorKind::Limit, &profile.inputs[id.index()].path, what);
    profile
        .unread
        .failed
        .push(error.advise("read fewer inputs at once, or keep all with --all_frames"));
}

fn step(profile: &Profile, drop: StrId, keep: StrId) -> Result<Step> {
    let whole = |option, text| {
        let text = String::from_utf8_lossy(profile.str(text));
        Ok(Pattern::new(pattern(option, &format!("^(?:{text})$"))?))
    };
    let keep = (keep != StrId::EMPTY).then(|| whole("keep_frames", keep)).transpose()?;
    Ok(Step::Drop(whole("drop_frames", drop)?, keep))
}

fn apply(profile: &mut Profile, step: Step, inputs: &[InputId]) {
    let mut sites = Sites::new(profile);
    // They are in order.
    let wanted = |input: InputId| inputs.binary_search(&input).is_ok();
    let cuts = Cuts::new(&[("drop_frames", step)], profile, &mut sites, &wanted);
    let samples = profile.samples().filter(|(_, sample)| wanted(sample.key.input));
    let ids: Vec<SampleId> = samples.map(|(id, _)| id).collect();
    for id in ids {
        if let Some((calls, locations)) = cuts.of(profile, &sites, id) {
            profile.set_calls(id, &calls, &locations);
        }
    }
    cuts.change_locations(profile);
}
