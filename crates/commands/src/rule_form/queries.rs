//! Clients of databases whose statement only reads: `psql -c "select …"` is `psql select`.
//!
//! A statement counts as reading only if every word of it is known to. It is one `SELECT`, `SHOW` or
//! `EXPLAIN`, calls only functions of a closed list, and holds no word that begins another statement,
//! no comment and no backslash. What a view or a trigger of the database runs is not seen here.
//!
//! See docs/decisions/0114-looking-at-services-is-one-kind-of-work.md.

use crate::wrappers::base_name;

/// The options of a client with a value that is no statement, and those whose value is one.
struct Client {
    program: &'static str,
    valued: &'static str,
    statement: &'static [&'static str],
}

const CLIENTS: &[Client] = &[
    Client { program: "psql", valued: "dfvoLFPRThpU", statement: &["-c", "--command"] },
    Client { program: "mysql", valued: "uhPpDS", statement: &["-e", "--execute"] },
    Client { program: "mariadb", valued: "uhPpDS", statement: &["-e", "--execute"] },
];

/// The command with `select` in the place of a statement that only reads. An error if it has that word
/// there already: it would be the name of a database.
pub(super) fn name_query(argv: &[String]) -> Result<Option<Vec<String>>, String> {
    match argv.get(1) {
        Some(word) if word == "select" => Err("`select` is no statement here".to_owned()),
        _ => Ok(find_query(argv)),
    }
}

fn find_query(argv: &[String]) -> Option<Vec<String>> {
    let (program, words) = argv.split_first()?;
    let (query, rest) = match base_name(program) {
        "sqlite3" => take_last_operand(words)?,
        name => {
            let client = CLIENTS.iter().find(|client| client.program == name)?;
            client.take_statement(words)?
        }
    };
    let is_reading = only_reads(query) || (base_name(program) == "psql" && describes(query));
    is_reading.then(|| [&[program.clone(), "select".to_owned()], rest.as_slice()].concat())
}

/// The last of two operands of `sqlite3`. What begins with a dot is a command of the client.
fn take_last_operand(words: &[String]) -> Option<(&str, Vec<String>)> {
    let (query, rest) = words.split_last()?;
    let operands = rest.iter().filter(|word| !word.starts_with('-')).count();
    (operands == 1).then(|| (query.as_str(), rest.to_vec()))
}

impl Client {
    /// The only statement of the line, and the other words.
    fn take_statement<'w>(&self, words: &'w [String]) -> Option<(&'w str, Vec<String>)> {
        let (mut query, mut rest) = (None, Vec::new());
        let mut left = words.iter();
        while let Some(word) = left.next() {
            let (option, attached) = match word.split_once('=') {
                Some((option, value)) if option.starts_with("--") => (option, Some(value)),
                _ => (word.as_str(), None),
            };
            let cluster = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
            let ends_with_it = self.statement.iter().any(|name| {
                let letter = name.strip_prefix('-').filter(|name| name.len() == 1);
                cluster.zip(letter).is_some_and(|(cluster, letter)| {
                    cluster.strip_suffix(letter).is_some_and(|others| {
                        others.bytes().all(|b| b.is_ascii_alphabetic())
                            && !others.contains(|c| self.valued.contains(c))
                    })
                })
            });
            if self.statement.contains(&option) || ends_with_it {
                let value = attached.or_else(|| left.next().map(String::as_str))?;
                if query.replace(value).is_some() {
                    return None;
                }
                let others =
                    cluster.map_or("", |letters| letters.get(..letters.len() - 1).unwrap_or(""));
                rest.extend((!others.is_empty()).then(|| format!("-{others}")));
                continue;
            }
            rest.push(word.clone());
            let takes_next = cluster.is_some_and(|letters| {
                letters.len() == 1 && letters.contains(|c| self.valued.contains(c))
            });
            if takes_next {
                rest.extend(left.next().cloned());
            }
        }
        query.map(|query| (query, rest))
    }
}

/// Psql's commands that list and describe: `\dt`, `\d orders`, `\l+`.
fn describes(query: &str) -> bool {
    let mut words = query.trim().split(' ').filter(|word| !word.is_empty());
    let command = words.next().and_then(|word| word.strip_prefix('\\')).unwrap_or_default();
    let command = command.strip_suffix('+').unwrap_or(command);
    let is_listing = matches!(command, "l" | "z" | "conninfo")
        || (command.starts_with('d') && command.bytes().all(|b| b.is_ascii_lowercase()));
    let is_name =
        |word: &str| word.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.*".contains(&b));
    is_listing && words.all(is_name)
}

/// Words that begin another statement, change what follows, or name stored passwords.
const CHANGING: &str = "insert update delete merge replace upsert drop alter create truncate rename \
grant revoke copy into outfile dumpfile call do execute exec prepare deallocate set reset lock unlock \
vacuum analyze analyse cluster reindex refresh comment listen notify unlisten load import export \
attach detach pragma for begin start commit rollback savepoint release handler install uninstall \
optimize repair kill shutdown flush purge change use source system tee pager edit delimiter discard \
declare fetch move close checkpoint security pg_shadow pg_authid pg_user_mapping pg_user_mappings \
mysql";

/// Functions that compute from their arguments or describe the schema, and words that a parenthesis may
/// follow.
const CALLABLE: &str = "count sum min max avg coalesce nullif ifnull iif if lower upper length \
char_length trim ltrim rtrim btrim substr substring left right lpad rpad concat concat_ws position \
instr round abs floor ceil ceiling mod power sqrt now date time datetime timestamp strftime julianday \
unixepoch date_trunc date_part extract to_char to_date to_timestamp age year month day hour string_agg \
group_concat array_agg json_agg jsonb_agg json_object json_array json_build_object \
jsonb_build_object json_extract json_array_length jsonb_array_length jsonb_typeof json_each row_number \
rank dense_rank percent_rank lag lead ntile first_value last_value nth_value greatest least cast typeof \
unnest array_length cardinality percentile_cont percentile_disc stddev variance bool_and bool_or every \
pg_size_pretty pg_total_relation_size pg_relation_size pg_table_size pg_indexes_size \
pg_database_size pg_get_viewdef pg_get_indexdef pg_get_constraintdef pg_get_functiondef format_type \
obj_description col_description version current_database current_schema database schema total \
varchar char numeric decimal interval in not exists any all some and or on as from where having \
select values over filter using by then else when case union intersect except with materialized \
within group order array row distinct between like is limit offset join lateral partition";

/// Whether a statement only reads, as far as its words say so.
fn only_reads(query: &str) -> bool {
    let query = query.trim();
    let query = query.strip_suffix(';').unwrap_or(query);
    let is_hidden = query.contains(['\\', '`', '$', '#', ';', '\0'])
        || query.contains("--")
        || query.contains("/*");
    let Some(tokens) = split_tokens(query).filter(|_| !is_hidden) else { return false };
    let first = tokens.first().map(|token| token.word.as_str()).unwrap_or_default();
    let begins = matches!(first, "select" | "with" | "show" | "explain" | "describe" | "desc");
    let lists = |list: &str, word: &str| list.split(' ').any(|one| one == word);
    begins
        && tokens.iter().all(|token| {
            !lists(CHANGING, &token.word) && (!token.is_called || lists(CALLABLE, &token.word))
        })
}

/// A name or keyword, in lower case, and whether a parenthesis follows.
struct Token {
    word: String,
    is_called: bool,
}

/// The names of a statement, without texts in quotes. `None` if a quote is not closed, or if a quoted
/// name is called.
fn split_tokens(query: &str) -> Option<Vec<Token>> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut rest = query;
    while let Some(c) = rest.chars().next() {
        if c == '\'' || c == '"' {
            let (_, behind) = rest.split_at_checked(1)?;
            let (_, behind) = behind.split_once(c)?;
            if c == '"' && behind.trim_start().starts_with('(') {
                return None;
            }
            rest = behind;
            continue;
        }
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        if is_name(c) {
            let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            let (word, behind) = rest.split_at_checked(end)?;
            let is_called = behind.trim_start().starts_with('(');
            tokens.push(Token { word: word.to_lowercase(), is_called });
            rest = behind;
            continue;
        }
        rest = rest.get(c.len_utf8()..)?;
    }
    Some(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_reads_only_if_every_word_of_it_is_known_to() {
        for query in [
            "select 1",
            "SELECT count(*) FROM orders WHERE state = 'open';",
            "select id, \"Name\" from t order by updated_at desc limit 5",
            "with a as (select id from t) select max(id) from a",
            "select date_trunc('day', at), count(*) from t group by 1",
            "explain select * from t",
            "show tables",
            "describe orders",
            "select 'it''s', x::numeric(10, 2) from t where y in (1, 2)",
        ] {
            assert!(only_reads(query), "{query}");
        }
        for query in [
            "",
            "delete from t where id = 1",
            "select 1; drop table t",
            "with a as (delete from t returning *) select * from a",
            "select * into other from t",
            "select * from t for update",
            "select pg_read_file('/etc/passwd')",
            "select lo_export(1, '/tmp/x')",
            "select pg_terminate_backend(1)",
            "select nextval('s')",
            "select public.f()",
            "select \"f\"()",
            "select dblink('host=x', 'delete from t')",
            "select load_extension('x.so')",
            "select writefile('x', 'y')",
            "select * into outfile '/tmp/x' from t",
            "select /*! 1 into outfile 'x' */ from t",
            "select 1 -- x",
            "select 1 \\! id",
            "explain analyze delete from t",
            "copy t to program 'id'",
            "do $$ begin end $$",
            "select * from pg_shadow",
            "select * from mysql.user",
            "attach 'x' as y",
            "pragma journal_mode = off",
            "set role x",
            "call f()",
            "vacuum",
            "select 'not closed",
            "values (f())",
        ] {
            assert!(!only_reads(query), "{query}");
        }
    }

    #[test]
    fn a_client_with_one_reading_statement_is_named_by_it() {
        for (words, expected) in [
            (&["psql", "-c", "select 1"][..], Some("psql select")),
            (
                &["psql", "-h", "localhost", "-U", "app", "-tAc", "select 1"],
                Some("psql select -h localhost -U app -tA"),
            ),
            (&["psql", "shop", "--command=select 1", "-x"], Some("psql select shop -x")),
            (&["psql", "-c", "\\dt"], Some("psql select")),
            (&["psql", "-c", "\\d+ public.orders"], Some("psql select")),
            (&["mysql", "-uroot", "-e", "show tables", "shop"], Some("mysql select -uroot shop")),
            (&["sqlite3", "-readonly", "a.db", "select 1"], Some("sqlite3 select -readonly a.db")),
            (&["psql", "-c", "select 1", "-c", "drop table t"], None),
            (&["psql", "-c", "\\! id"], None),
            (&["psql", "-c", "\\d `id`"], None),
            (&["psql", "-c", "\\copy t to x"], None),
            (&["psql", "-dc", "select 1"], None),
            (&["psql", "-f", "x.sql"], None),
            (&["psql", "-c"], None),
            (&["sqlite3", "a.db", ".shell id"], None),
            (&["sqlite3", "a.db", "delete from t"], None),
            (&["sqlite3", "-cmd", ".shell id", "a.db", "select 1"], None),
            (&["sqlite3", "select 1"], None),
            (&["mysql", "-psome", "select 1"], None),
            (&["psql", "-fc", "select 1"], None),
            (&["mysql", "-e", "select load_file('/etc/passwd')"], None),
            (&["ls", "-c", "select 1"], None),
        ] {
            let argv: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let named = name_query(&argv).unwrap().map(|argv| argv.join(" "));
            assert_eq!(named.as_deref(), expected, "{words:?}");
        }
        let database = ["sqlite3", "select", "drop table t"].map(str::to_owned);
        assert!(name_query(&database).is_err());
    }
}
