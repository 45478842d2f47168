//! Lists of things: a heading, a line each. As wide as the terminal; in a pipe as wide as it takes.

use comfy_table::{Attribute, CellAlignment, ColumnConstraint, ContentArrangement, Row, Width};

use super::{Tone, tame};

/// Between two columns.
const GAP: u16 = 2;
/// A column that gives way keeps this much as long as others can be left out,
const COMFORT: u16 = 30;
/// and this much in any case.
const LEAST: u16 = 8;

/// A column and what becomes of it where there is little room.
#[derive(Clone, Copy)]
pub(crate) struct Column {
    heading: &'static str,
    right: bool,
    room: Room,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Room {
    /// Always whole.
    Fixed,
    /// Is cut.
    Gives,
    /// Is left out, the last one first, or if nothing is in it.
    Optional,
}

impl Column {
    pub(crate) const fn new(heading: &'static str) -> Self {
        Self { heading, right: false, room: Room::Fixed }
    }

    /// For numbers.
    pub(crate) const fn right(self) -> Self {
        Self { right: true, ..self }
    }

    pub(crate) const fn gives(self) -> Self {
        Self { room: Room::Gives, ..self }
    }

    pub(crate) const fn optional(self) -> Self {
        Self { room: Room::Optional, ..self }
    }
}

/// A word of a line and how it looks.
#[derive(Default)]
pub(crate) struct Cell {
    text: String,
    tone: Tone,
}

impl Cell {
    /// A state, in its colour.
    pub(crate) fn state(state: &str) -> Self {
        Self { text: state.replace('_', " "), tone: Tone::of(state) }
    }

    pub(crate) fn toned(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), tone }
    }
}

impl<T: ToString> From<T> for Cell {
    fn from(text: T) -> Self {
        Self { text: text.to_string(), tone: Tone::Plain }
    }
}

pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    pub(crate) fn new(columns: impl Into<Vec<Column>>) -> Self {
        Self { columns: columns.into(), rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: impl Into<Vec<Cell>>) {
        self.rows.push(cells.into());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// For stdout as it is.
    pub(crate) fn text(self) -> String {
        let term = console::Term::stdout();
        self.fitting(term.size_checked().map(|(_, columns)| columns), console::colors_enabled())
    }

    /// With a line end after each line; `width` is none in a pipe.
    fn fitting(self, width: Option<u16>, colours: bool) -> String {
        let mut table = comfy_table::Table::new();
        table.load_style(comfy_table::presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        // A line must end with its text: coloured spaces would not be taken off and make it too long.
        table.style_text_only();
        if colours {
            table.enforce_styling();
        } else {
            table.force_no_tty();
        }
        let heading = |column: &Column| comfy_table::Cell::new(column.heading).add_attribute(Attribute::Bold);
        table.set_header(self.columns.iter().map(heading));
        for cells in &self.rows {
            let mut row = Row::from(cells.iter().map(drawn).collect::<Vec<_>>());
            row.max_height(1);
            table.add_row(row);
        }
        let widths = table.column_max_content_widths();
        let is_empty: Vec<bool> = (0..self.columns.len())
            .map(|index| self.rows.iter().all(|row| row.get(index).is_none_or(|cell| cell.text.is_empty())))
            .collect();
        let fitted = fit(&self.columns, &widths, &is_empty, width);
        for ((column, plan), drawn) in self.columns.iter().zip(fitted).zip(table.column_iter_mut()) {
            drawn.set_padding((0, GAP));
            if column.right {
                drawn.set_cell_alignment(CellAlignment::Right);
            }
            match plan {
                Some(width) => drawn.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width + GAP))),
                None => drawn.set_constraint(ColumnConstraint::Hidden),
            };
        }
        let mut text = String::new();
        for line in table.lines() {
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

fn drawn(cell: &Cell) -> comfy_table::Cell {
    let drawn = comfy_table::Cell::new(tame(&cell.text).replace('\n', " "));
    match cell.tone.colour() {
        Some(colour) => drawn.fg(colour),
        None => drawn,
    }
}

/// How wide each column becomes; `None` is left out.
fn fit(columns: &[Column], widths: &[u16], is_empty: &[bool], most: Option<u16>) -> Vec<Option<u16>> {
    let mut plan: Vec<Option<u16>> = widths.iter().copied().map(Some).collect();
    let Some(most) = most else { return plan };
    let is_optional = |index: usize| columns[index].room == Room::Optional;
    for (index, width) in plan.iter_mut().enumerate() {
        if is_empty[index] && is_optional(index) {
            *width = None;
        }
    }
    let wide = |plan: &[Option<u16>]| {
        plan.iter().flatten().map(|width| width + GAP).sum::<u16>().saturating_sub(GAP)
    };
    // What those that give way can give before they get hard to read.
    let spare = |plan: &[Option<u16>]| {
        let giving = plan.iter().zip(columns).filter(|(_, column)| column.room == Room::Gives);
        giving.filter_map(|(width, _)| *width).map(|width| width.saturating_sub(COMFORT)).sum::<u16>()
    };
    while wide(&plan).saturating_sub(spare(&plan)) > most {
        match (0..plan.len()).rev().find(|index| plan[*index].is_some() && is_optional(*index)) {
            Some(last) => plan[last] = None,
            None => break,
        }
    }
    while wide(&plan) > most {
        let giving = plan.iter_mut().zip(columns).filter(|(_, column)| column.room == Room::Gives);
        let widest = giving.filter_map(|(width, _)| width.as_mut()).max_by_key(|width| **width);
        match widest {
            Some(width) if *width > LEAST => *width -= 1,
            _ => break,
        }
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::*;

    fn a_table() -> Table {
        let columns =
            [Column::new("JOB").right(), Column::new("VIDEO").gives(), Column::new("ADDED").optional()];
        let mut table = Table::new(columns);
        table.row([7.into(), "A holiday that goes on and on".into(), "4 min ago".into()]);
        table.row([12.into(), "Short".into(), Cell::state("in_progress")]);
        table
    }

    #[test]
    fn in_a_pipe_nothing_is_cut() {
        let text = a_table().fitting(None, false);
        assert_eq!(
            text,
            "JOB  VIDEO                          ADDED\n\
             \x20 7  A holiday that goes on and on  4 min ago\n\
             \x2012  Short                          in progress\n"
        );
    }

    #[test]
    fn on_a_narrow_terminal_columns_give_way_and_lines_stay_whole() {
        for width in [20, 30, 36, 40, 80] {
            let text = a_table().fitting(Some(width), false);
            assert_eq!(text.lines().count(), 3, "{text}");
            assert!(
                text.lines().all(|line| console::measure_text_width(line) <= width.into()),
                "{width}: {text}"
            );
        }
        assert!(a_table().fitting(Some(48), false).contains("ADDED"));
        assert!(!a_table().fitting(Some(36), false).contains("ADDED"));
    }

    #[test]
    fn on_a_terminal_a_column_without_anything_in_it_may_be_left_out() {
        let mut table = Table::new([Column::new("JOB").right(), Column::new("COLLECTION").optional()]);
        table.row([7.into(), Cell::default()]);
        assert_eq!(table.fitting(Some(80), false), "JOB\n  7\n");
    }

    #[test]
    fn colours_are_added_only_where_they_are_wanted() {
        assert!(!a_table().fitting(Some(80), false).contains('\x1b'));
        assert!(a_table().fitting(Some(80), true).contains('\x1b'));
    }
}
