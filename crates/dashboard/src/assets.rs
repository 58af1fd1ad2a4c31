//! The files that every page loads: one script, one style sheet, the icons and the manifest. They
//! contain nothing that is worth keeping secret.

pub struct Asset {
    pub content_type: &'static str,
    pub content: &'static str,
}

const ASSETS: [(&str, Asset); 5] = [
    (
        "dashboard.js",
        Asset {
            content_type: "text/javascript; charset=utf-8",
            content: include_str!("../assets/dashboard.js"),
        },
    ),
    (
        "dashboard.css",
        Asset {
            content_type: "text/css; charset=utf-8",
            content: include_str!("../assets/dashboard.css"),
        },
    ),
    (
        "icon.svg",
        Asset { content_type: "image/svg+xml", content: include_str!("../assets/icon.svg") },
    ),
    (
        "icon-waiting.svg",
        Asset {
            content_type: "image/svg+xml",
            content: include_str!("../assets/icon-waiting.svg"),
        },
    ),
    (
        "manifest.webmanifest",
        Asset {
            content_type: "application/manifest+json",
            content: include_str!("../assets/manifest.webmanifest"),
        },
    ),
];

pub fn find_asset(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|(known, _)| *known == name).map(|(_, asset)| asset)
}
