pragma locking_mode = exclusive;
pragma journal_mode = wal;
pragma synchronous = full;
pragma secure_delete = on;

create table if not exists queue (place integer primary key autoincrement, content blob not null);
create table if not exists conversations (
    name text primary key, version integer not null, judged integer, revision integer not null, token integer,
    attempts integer not null, complete integer not null, idle real not null, first real not null, since real not null,
    last real not null, due real, expires real, unfinished integer not null default 0
);
create index if not exists due on conversations (due);
create index if not exists expiring on conversations (expires) where expires is not null;
create table if not exists facts (
    conversation text not null, name text not null, value text not null, primary key (conversation, name)
);
create table if not exists messages (
    conversation text not null, key text not null, number integer not null, content text not null,
    primary key (conversation, key)
);
create table if not exists events (
    number integer primary key autoincrement, kind text not null, conversation text not null, content blob not null,
    unfinished integer not null default 0
);
create table if not exists deliveries (output text not null, number integer not null, primary key (output, number));
create table if not exists dead (
    source text not null, reason text not null, conversation text not null, content blob not null, at real not null
);
create table if not exists kept (name text primary key, value blob not null);
create table if not exists shelves (
    shelf text not null, name text not null, number integer not null, head blob not null, content blob not null,
    at real not null, primary key (shelf, name)
);
create index if not exists shelved on shelves (shelf, number);
create index if not exists delivered on deliveries (number);
create trigger if not exists taken after delete on deliveries begin
    delete from events where number = old.number and not exists (select 1 from deliveries where number = old.number);
end;
create trigger if not exists unsent after delete on events begin
    delete from deliveries where number = old.number;
end;
create trigger if not exists forgotten after delete on conversations begin
    delete from facts where conversation = old.name;
    delete from messages where conversation = old.name;
end;
