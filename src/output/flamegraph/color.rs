//! Colours of boxes, by package or by change.

use crate::view::frames::function::is_standard;

/// The colour of the box of everything.
pub(super) const ROOT: &str = "#dcdcdc";

/// The colour of a package, the same in every picture; pale for the standard library and for code that
/// isn't Go's.
pub(super) fn of_package(package: &[u8]) -> String {
    if package.is_empty() {
        return "#d5d2cb".to_owned();
    }
    // FNV-1a: it spreads short names well and never changes.
    let hash = package
        .iter()
        .fold(0x811c_9dc5_u32, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let hue = f64::from((hash >> 8) % 360);
    let lightness = 0.70 + f64::from(hash & 0x7) * 0.01;
    match is_standard(package) {
        true => hex(hue, 0.18, lightness + 0.10),
        false => hex(hue, 0.62, lightness),
    }
}

/// Red for growth, blue for shrinking; stronger if a larger part of the box changed.
pub(super) fn of_change(change: i128, width: i128) -> String {
    let share = (change as f64 / width.max(1) as f64).clamp(-1.0, 1.0);
    // Unchanged is nearly white; entirely new or gone is strong, but black text is still readable.
    let faded = (238.0 - 148.0 * share.abs()).round() as u8;
    match share {
        share if share > 0.0 => format!("#ff{faded:02x}{faded:02x}"),
        share if share < 0.0 => {
            let green = faded.saturating_add(32).min(238);
            format!("#{faded:02x}{green:02x}ff")
        }
        _ => "#eeeeee".to_owned(),
    }
}

/// Hue in degrees, saturation and lightness up to 1.
fn hex(hue: f64, saturation: f64, lightness: f64) -> String {
    let channel = |offset: f64| {
        let at = (offset + hue / 30.0) % 12.0;
        let reach = saturation * lightness.min(1.0 - lightness);
        let light = lightness - reach * (at - 3.0).min(9.0 - at).clamp(-1.0, 1.0);
        (light * 255.0).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", channel(0.0), channel(8.0), channel(4.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hues_become_channels() {
        assert_eq!(hex(0.0, 1.0, 0.5), "#ff0000");
        assert_eq!(hex(120.0, 1.0, 0.5), "#00ff00");
        assert_eq!(hex(240.0, 1.0, 0.25), "#000080");
        assert_eq!(hex(77.0, 0.0, 0.5), "#808080");
    }

    #[test]
    fn what_grew_is_red_and_what_shrank_is_blue() {
        assert_eq!(of_change(5, 5), "#ff5a5a");
        assert_eq!(of_change(-5, 5), "#5a7aff");
        assert_eq!(of_change(0, 5), "#eeeeee");
    }

    #[test]
    fn packages_keep_their_colour() {
        assert_eq!(of_package(b"main"), of_package(b"main"));
        assert_ne!(of_package(b"main"), of_package(b"example.com/shop"));
    }
}
