//! Draws screens as SVG. Several of them follow each other by a CSS animation, which also runs where
//! a page shows the file as a picture. Who wants no motion sees the last one.

use super::screen::{Color, Line, Run, RunStyle, Screen};

/// Sizes in pixels. The width of a cell fits the common fonts at this size, and every run is set to
/// its width, so that another font moves nothing.
const FONT_SIZE: f64 = 14.0;
const CELL_WIDTH: f64 = 8.4;
const LINE_HEIGHT: f64 = 19.0;
const MARGIN: f64 = 18.0;
const TITLE_HEIGHT: f64 = 34.0;

const SECONDS_PER_FRAME: usize = 4;

/// The colours of a terminal.
pub struct Theme {
    background: &'static str,
    title_background: &'static str,
    foreground: &'static str,
    dim: &'static str,
    /// The sixteen colours that a terminal names.
    named: [&'static str; 16],
}

pub const DARK: Theme = Theme {
    background: "#0d1117",
    title_background: "#21262d",
    foreground: "#e6edf3",
    dim: "#8b949e",
    named: [
        "#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4",
        "#6e7681", "#ffa198", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#f0f6fc",
    ],
};

pub const LIGHT: Theme = Theme {
    background: "#ffffff",
    title_background: "#eaeef2",
    foreground: "#1f2328",
    dim: "#818b98",
    named: [
        "#24292f", "#cf222e", "#116329", "#9a6700", "#0969da", "#8250df", "#1b7c83", "#6e7781",
        "#57606a", "#a40e26", "#1a7f37", "#bf8700", "#218bff", "#a475f9", "#3192aa", "#8c959f",
    ],
};

pub struct Picture {
    /// Also shown above the terminal.
    pub title: &'static str,
    /// For those who cannot see it.
    pub description: &'static str,
    pub frames: Vec<Screen>,
    pub theme: &'static Theme,
    pub columns: usize,
    /// Of a picture with several frames; one alone is as high as it needs.
    pub rows: usize,
}

impl Picture {
    pub fn draw(&self) -> String {
        let (width, height) = self.size();
        let (title, description) = (escape(self.title), escape(self.description));
        let Theme { background, title_background, dim, .. } = self.theme;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" \
             aria-labelledby=\"title description\" xml:space=\"preserve\">\n\
             <title id=\"title\">{title}</title>\n\
             <desc id=\"description\">{description}</desc>\n\
             <style>{}</style>\n\
             <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{background}\"/>\n\
             <path d=\"M0 {TITLE_HEIGHT}V8a8 8 0 0 1 8-8H{:.0}a8 8 0 0 1 8 8V{TITLE_HEIGHT}Z\" \
             fill=\"{title_background}\"/>\n\
             <text x=\"{:.0}\" y=\"22\" fill=\"{dim}\" text-anchor=\"middle\">{title}</text>\n",
            self.style_sheet(),
            width - 8.0,
            width / 2.0,
        );
        for (number, frame) in self.frames.iter().enumerate() {
            svg.push_str(&format!("<g class=\"frame\" style=\"--n:{number}\">\n"));
            for (row, line) in frame.lines.iter().enumerate() {
                draw_line(&mut svg, self.theme, row, line);
            }
            svg.push_str("</g>\n");
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// Width and height in pixels.
    pub fn size(&self) -> (f64, f64) {
        let width = self.columns as f64 * CELL_WIDTH + 2.0 * MARGIN;
        let height = TITLE_HEIGHT + self.rows() as f64 * LINE_HEIGHT + 2.0 * MARGIN;
        (width, height)
    }

    fn rows(&self) -> usize {
        match self.frames.as_slice() {
            [only] => only.lines.len(),
            _ => self.rows,
        }
    }

    fn style_sheet(&self) -> String {
        let font = format!(
            "text{{font:{FONT_SIZE}px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;\
             white-space:pre}}.b{{font-weight:bold}}"
        );
        let count = self.frames.len();
        if count == 1 {
            return font;
        }
        let (whole, share) = (count * SECONDS_PER_FRAME, 100.0 / count as f64);
        format!(
            "{font}\
             .frame{{visibility:hidden;animation:show {whole}s step-end infinite;\
             animation-delay:calc(var(--n)*{SECONDS_PER_FRAME}s - {whole}s)}}\
             .frame:last-of-type{{visibility:visible}}\
             @keyframes show{{0%{{visibility:visible}}{share:.3}%,100%{{visibility:hidden}}}}\
             @media(prefers-reduced-motion:reduce){{.frame{{animation:none}}}}"
        )
    }
}

fn draw_line(svg: &mut String, theme: &Theme, row: usize, line: &Line) {
    let mut column = 0;
    for run in &line.runs {
        draw_run(svg, theme, (row, column), run);
        column += run.text.chars().count();
    }
}

fn draw_run(svg: &mut String, theme: &Theme, (row, column): (usize, usize), run: &Run) {
    let (x, top) = (position(column), TITLE_HEIGHT + MARGIN + row as f64 * LINE_HEIGHT);
    if let Some(fill) = theme.background_color(run.style) {
        let width = run.text.chars().count() as f64 * CELL_WIDTH;
        svg.push_str(&format!(
            "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{LINE_HEIGHT}\" \
             fill=\"{fill}\"/>\n"
        ));
    }
    let text = run.text.trim();
    if text.is_empty() {
        return;
    }
    let indent = run.text.chars().take_while(|next| next.is_whitespace()).count();
    let (x, y) = (position(column + indent), top + LINE_HEIGHT - 5.0);
    let length = text.chars().count() as f64 * CELL_WIDTH;
    let (fill, text) = (theme.text_color(run.style), escape(text));
    let weight = if run.style.is_bold { " class=\"b\"" } else { "" };
    let weight = match run.style.is_underlined {
        true => format!("{weight} text-decoration=\"underline\""),
        false => weight.to_owned(),
    };
    svg.push_str(&format!(
        "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{fill}\"{weight} textLength=\"{length:.1}\" \
         lengthAdjust=\"spacingAndGlyphs\">{text}</text>\n"
    ));
}

fn position(column: usize) -> f64 {
    MARGIN + column as f64 * CELL_WIDTH
}

impl Theme {
    fn background_color(&self, style: RunStyle) -> Option<String> {
        match style.is_inverse {
            true => Some(self.text_color(RunStyle { is_inverse: false, ..style })),
            false => style.background.map(|color| self.color_text(color)),
        }
    }

    fn text_color(&self, style: RunStyle) -> String {
        match style.color {
            _ if style.is_inverse => {
                style.background.map_or(self.background.to_owned(), |color| self.color_text(color))
            }
            Some(color) => self.color_text(color),
            None if style.is_dim => self.dim.to_owned(),
            None => self.foreground.to_owned(),
        }
    }

    fn color_text(&self, color: Color) -> String {
        match color {
            Color::Named(number) => {
                let named = self.named.get(usize::from(number));
                named.copied().unwrap_or(self.foreground).to_owned()
            }
            Color::Rgb(red, green, blue) => format!("#{red:02x}{green:02x}{blue:02x}"),
        }
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_end_its_element_and_keeps_its_column() {
        let picture = Picture {
            title: "t",
            description: "d",
            frames: vec![Screen::parse("ab   \u{1b}[31m</text> & <b>\u{1b}[0m\n")],
            theme: &DARK,
            columns: 80,
            rows: 24,
        };
        let svg = picture.draw();
        let expected = "<text x=\"60.0\" y=\"66.0\" fill=\"#ff7b72\" textLength=\"109.2\" \
                        lengthAdjust=\"spacingAndGlyphs\">&lt;/text&gt; &amp; &lt;b&gt;</text>";
        assert!(svg.contains(expected), "{svg}");
        assert!(!svg.contains("animation"), "one frame stands still");
    }
}
