//! Adds the names from an input's binary to its locations and stacks.

use super::evidence::{is_inside, main_mapping, printed_call};
use super::room::{NoRoom, Room, weight_of_stack};
use super::tables::Tables;
use super::{Located, Match, Options};
use crate::profile::function::{Hides, class};
use crate::profile::{
    FrameId, InputFormat, Line, LocationId, Profile, SampleId, is_unsymbolized, place_of_address,
    unsymbolized,
};
use std::collections::{HashMap, HashSet};

/// Names the locations of an input from its binary, and updates the stacks of its samples.
pub(super) fn apply(
    profile: &mut Profile,
    (tables, room): (&mut Tables, &mut Room),
    located: &Located,
    found: Match<'_>,
    options: Options,
) -> Result<(), NoRoom> {
    let format = profile.input(located.input).format;
    if format == InputFormat::Debug2 {
        find_addresses(profile, located, found);
        return Ok(());
    }
    let mapping = main_mapping(profile, located);
    let mut named: HashSet<LocationId> = HashSet::new();
    // A location of a proto has the same frames in every stack.
    let lists: Vec<Vec<LocationId>> = match format.is_proto() {
        true => vec![located.locations.clone()],
        false => {
            let lists = located.samples.iter().map(|&sample| profile.sample_locations(sample));
            lists.map(<[_]>::to_vec).collect()
        }
    };
    for mut inside in lists {
        inside.retain(|&id| is_inside(profile.location(id), mapping));
        for (id, frames) in frames_of(profile, inside, found, format.is_proto()) {
            let is_asked = options.resymbolize || !has_name(profile, id);
            if frames.is_empty() || !is_asked && !tables.named.contains(&id) {
                continue;
            }
            named.insert(id);
            if tables.named.insert(id) {
                room.take_calls(&frames)?;
                let lines: Vec<Line> =
                    frames.iter().map(|frame| tables.line(profile, frame)).collect();
                profile.set_lines(id, &lines);
            }
        }
    }
    if named.is_empty() {
        return Ok(());
    }
    if let Some(mapping) = mapping {
        profile.mark_symbolized(mapping);
    }
    let mut known = HashMap::new();
    for &sample in &located.all {
        if !profile.sample_locations(sample).iter().any(|id| named.contains(id)) {
            continue;
        }
        let key = (profile.location_list(sample), profile.sample(sample).key.stack);
        let (full, shown, weight) = match known.get(&key) {
            Some(&stacks) => stacks,
            None => {
                let (full, shown) = stacks(profile, (tables, room), sample, format, options)?;
                let shown = profile.add_stack(&shown);
                let full = profile.add_stack(&full);
                let stacks = (full, shown, weight_of_stack(profile, full));
                *known.entry(key).or_insert(stacks)
            }
        };
        room.take_sample(weight)?;
        profile.set_stacks(sample, full, shown, format.counts_goroutines());
    }
    Ok(())
}

/// The frames of locations, leaf first. A location of a proto is a call with everything that was inlined
/// into it; in texts inlined calls can have addresses of their own. They are looked up one by one, as a
/// hostile binary may have a thousand long names at each address.
fn frames_of<'a>(
    profile: &Profile,
    list: Vec<LocationId>,
    found: Match<'a>,
    is_proto: bool,
) -> Box<dyn Iterator<Item = (LocationId, Vec<crate::binary::Frame<'a>>)> + 'a> {
    let binary = &found.program.binary;
    let addresses: Vec<u64> = list.iter().map(|&id| profile.location(id).address).collect();
    let at = move |address: u64| binary.shown_frames(found.slide.to_binary(address));
    if is_proto {
        return Box::new(list.into_iter().zip(addresses.into_iter().map(at)));
    }
    let returns: Vec<u64> = addresses.iter().map(|address| address.wrapping_add(1)).collect();
    let calls = binary.call_ranges(&returns, found.slide).into_iter();
    Box::new(calls.flat_map(move |call| {
        let mut frames = at(addresses[call.start]).into_iter();
        let of_position = |position: usize| {
            let is_last = position + 1 == call.end;
            let most = if is_last { usize::MAX } else { 1 };
            (list[position], frames.by_ref().take(most).collect())
        };
        call.clone().map(of_position).collect::<Vec<_>>()
    }))
}

fn has_name(profile: &Profile, id: LocationId) -> bool {
    profile.lines(id).first().is_some_and(|line| {
        let name = profile.str(profile.function(line.function).name);
        !name.is_empty() && !is_unsymbolized(name)
    })
}

fn func(profile: &Profile, frame: FrameId) -> &[u8] {
    profile.str(profile.frame(frame).func)
}

/// The full stack of a sample, from its locations, and the part of it that Go's text shows.
fn stacks(
    profile: &mut Profile,
    (tables, room): (&mut Tables, &mut Room),
    sample: SampleId,
    format: InputFormat,
    options: Options,
) -> Result<(Vec<FrameId>, Vec<FrameId>), NoRoom> {
    let mut full = Vec::new();
    for id in profile.sample_locations(sample).to_vec() {
        room.take_lines(profile, id)?;
        let lines = profile.lines(id);
        if !lines.is_empty() {
            full.extend(lines.iter().map(|line| line.frame));
            continue;
        }
        let location = *profile.location(id);
        let file = location.mapping.map(|mapping| profile.str(profile.mapping(mapping).file));
        let name = unsymbolized(file.unwrap_or_default());
        full.push(tables.frame(profile, &name, &place_of_address(location.address), 0));
    }
    let before = profile.stack(profile.sample(sample).key.stack).to_vec();
    let has_names = before.iter().any(|&frame| !is_unsymbolized(func(profile, frame)));
    if !format.is_proto() && has_names && !options.resymbolize {
        // Its text already has the frames to show.
        return Ok((full, before));
    }
    let classes = full.iter().map(|&frame| (class(func(profile, frame)), frame));
    let shown = Hides::of(format).shown(classes).into_iter();
    let shown = shown.map(|frame| tables.shown(profile, frame)).collect();
    Ok((full, shown))
}

/// Sets the addresses of calls in a traceback, which has names: they follow from function and offset.
fn find_addresses(profile: &mut Profile, located: &Located, found: Match<'_>) {
    for &id in &located.locations {
        let Some(call) = printed_call(profile, id) else { continue };
        if profile.location(id).address == 0
            && let [only] = found.program.binary.addresses(&call)[..]
        {
            profile.set_address(id, only.wrapping_sub(1).wrapping_add(found.slide.bytes()));
        }
    }
}
