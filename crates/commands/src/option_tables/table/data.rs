//! Databases: only forms that list tables or ask for the state. SQL on the command line asks.

use super::prelude::*;

pub(super) const DATA: &[OptionTable] = &[
    reader_of_words("psql -l", "t", "").operands(None).contacts(Contacts::Configured),
    reader_of_words("psql --list", "t", "").operands(None).contacts(Contacts::Configured),
    reader_of_words("psql --version", "", "").operands(None),
    reader_of_words("pg_isready", "q", "").operands(None).contacts(Contacts::Configured),
    runner("sqlite3", "", "")
        .effect(ProgramEffect::Reads)
        .single_dash()
        .long("readonly header csv json line column table")
        .operands(TableListing)
        .paths(PathOperands::All)
        .no_head(),
    reader_of_words("mysqlshow", "", "").operands(Names).contacts(Contacts::Configured),
    reader_of_words("redis-cli ping", "", "").operands(None).contacts(Contacts::Configured),
    reader_of_words("redis-cli info", "", "").operands(Names).contacts(Contacts::Configured),
    reader_of_words("redis-cli dbsize", "", "").operands(None).contacts(Contacts::Configured),
    changer("createdb", "", "").operands(Names).contacts(Contacts::Configured).no_head(),
    changer("dropdb", "", "")
        .long("if-exists")
        .operands(Names)
        .contacts(Contacts::Configured)
        .no_head(),
    runner("alembic upgrade", "", "").operands(Names).paths(PathOperands::None).no_head(),
    runner("alembic downgrade", "", "").operands(Names).paths(PathOperands::None).no_head(),
    runner("prisma generate", "", "").operands(None),
    runner("prisma validate", "", "").operands(None),
    runner("prisma migrate dev", "", "")
        .long_valued("name")
        .values(AllowedValues::Plain)
        .operands(None)
        .no_head(),
    runner("prisma migrate status", "", "").operands(None),
];
