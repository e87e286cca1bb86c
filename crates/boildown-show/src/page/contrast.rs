//! A test of the contrast of the colours in the style sheet.

use std::collections::BTreeMap;

/// The smallest contrast of a text, as the guidelines for accessible pages demand it.
const SMALLEST: f64 = 4.5;

type Palette = BTreeMap<String, [f64; 3]>;

/// Returns the colours of the first block of variables after `start`.
fn palette(css: &str, start: &str) -> Palette {
    let block = css.split_once(start).unwrap().1;
    let block = block.split_once('}').unwrap().0.rsplit('{').next().unwrap();
    let mut colours = Palette::new();
    for (name, value) in block.split(';').filter_map(|line| line.split_once(':')) {
        if let Some(digits) = value.trim().strip_prefix('#') {
            let part = |at: usize| f64::from(u8::from_str_radix(&digits[at..at + 2], 16).unwrap());
            let name = name.rsplit("--").next().unwrap();
            colours.insert(name.to_owned(), [part(0), part(2), part(4)]);
        }
    }
    colours
}

fn luminance(colour: [f64; 3]) -> f64 {
    let [red, green, blue] = colour.map(|part| match part / 255.0 {
        part @ ..=0.04045 => part / 12.92,
        part => ((part + 0.055) / 1.055).powf(2.4),
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
    let [one, other] = [one, other].map(|colour| luminance(colour) + 0.05);
    one.max(other) / one.min(other)
}

/// Returns the variable that a rule gives to a property.
fn variable<'a>(rule: &'a str, property: &str) -> Option<&'a str> {
    let mut values = rule.split(';').filter_map(|line| line.split_once(':'));
    let (_, value) = values.rfind(|(name, _)| name.trim() == property)?;
    value.trim().strip_prefix("var(--")?.strip_suffix(')')
}

/// Returns pairs of the colours of a text and what is behind it. A rule that sets only one of both
/// is used with each of the others that it can meet.
fn pairs(css: &str) -> Vec<(String, String)> {
    const TEXTS_OF_CODE: [&str; 6] = ["ink", "comment", "string", "number", "keyword", "type"];
    let mut pairs = Vec::new();
    let mut add = |text: &str, ground: &str| pairs.push((text.to_owned(), ground.to_owned()));
    for rule in css.split('}') {
        let Some((selector, rule)) = rule.rsplit_once('{') else {
            continue;
        };
        let text = variable(rule, "color")
            .or(variable(rule, "fill").filter(|_| selector.contains("text")));
        let ground = variable(rule, "background");
        let is_picture = ["swatch", "share"]
            .iter()
            .any(|class| selector.contains(class));
        match (text, ground) {
            _ if is_picture => {}
            (Some(text), Some(ground)) => add(text, ground),
            (Some(text), None) => ["paper", "raised"]
                .iter()
                .for_each(|ground| add(text, ground)),
            (None, Some(ground)) => add("ink", ground),
            (None, None) => {}
        }
        if selector.contains("#step-diff") {
            TEXTS_OF_CODE
                .iter()
                .for_each(|text| add(text, ground.unwrap()));
        }
    }
    pairs
}

#[test]
fn every_text_can_be_read_in_light_and_dark() {
    let css = include_str!("page.css");
    let pairs = pairs(css);
    assert!(pairs.len() > 40, "{pairs:?}");
    let dark = "(prefers-color-scheme: dark)";
    for (name, palette) in [
        ("light", palette(css, ":root {")),
        ("dark", palette(css, dark)),
    ] {
        for (text, ground) in &pairs {
            let colour = |name: &String| *palette.get(name).unwrap_or_else(|| panic!("{name}"));
            let contrast = contrast(colour(text), colour(ground));
            assert!(
                contrast >= SMALLEST,
                "{name}: {text} on {ground}: {contrast:.2}"
            );
        }
    }
}

#[test]
fn the_contrast_is_that_of_the_guidelines() {
    let [black, white, grey] = [[0.0; 3], [255.0; 3], [118.0; 3]];
    assert!((contrast(black, white) - 21.0).abs() < 1e-9);
    assert!((contrast(grey, white) - 4.54).abs() < 0.01);
}
