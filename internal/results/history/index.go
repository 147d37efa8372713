package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver "sqlite", without cgo
)

// IndexName is the index in the folder that it is of.
const IndexName = ".upflab-index.sqlite"

// version is that of the tables and of what is kept in them: an index of another one is
// made again.
const version = 3

const tables = `
CREATE TABLE runs (path TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime INTEGER NOT NULL,
	started INTEGER NOT NULL, facts TEXT NOT NULL);
CREATE TABLE readings (path TEXT NOT NULL REFERENCES runs(path) ON DELETE CASCADE,
	dut TEXT NOT NULL, version TEXT NOT NULL, reference INTEGER NOT NULL, metric TEXT NOT NULL, kind TEXT NOT NULL,
	direction TEXT NOT NULL, load TEXT NOT NULL, value REAL NOT NULL, by_wire REAL, n INTEGER NOT NULL, bounded INTEGER NOT NULL);
CREATE TABLE state (changes INTEGER NOT NULL);
INSERT INTO state VALUES (random() / 2); -- another one that was made again
CREATE INDEX readings_path ON readings(path);
CREATE INDEX runs_started ON runs(started);`

// Index is the index of a folder of results.
type Index struct {
	dir  string
	db   *sql.DB
	note string
}

// Open opens the index of a folder, or makes an empty one: call Update next. Where the
// folder cannot be written to, the index is kept in memory, and Note says so.
func Open(ctx context.Context, dir string) (*Index, error) {
	if info, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) || err == nil && !info.IsDir() {
		return nil, fmt.Errorf("there is no folder %s: name the one that `upflab run` writes into, results unless --out said otherwise", dir)
	}
	if err := readable(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, IndexName)
	db, err := openFile(ctx, path)
	if err != nil { // damaged: nothing is in it that is not in the folders
		os.Remove(path)
		db, err = openFile(ctx, path)
	}
	if err == nil {
		return &Index{dir: dir, db: db}, nil
	}
	x, failed := openMemory(ctx, dir)
	if failed != nil {
		return nil, errors.Join(err, failed)
	}
	x.note = fmt.Sprintf("the index is kept in memory, and made again each time: %v", err)
	return x, nil
}

// readable refuses a folder that cannot be listed: it would look like one without results.
func readable(dir string) error {
	f, err := os.Open(dir)
	if err == nil {
		_, err = f.Readdirnames(1)
		f.Close()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the folder %s: %w; call this as its owner, or by sudo", dir, err)
	}
	return nil
}

// OpenInMemory opens an index that leaves nothing in the folder.
func OpenInMemory(ctx context.Context, dir string) (*Index, error) { return openMemory(ctx, dir) }

func openMemory(ctx context.Context, dir string) (*Index, error) {
	db, err := prepare(ctx, "in memory", ":memory:")
	if err != nil {
		return nil, err
	}
	return &Index{dir: dir, db: db}, nil
}

// openFile waits for others that write to the file. A power cut may damage it, for which
// it need not be synced: it is made again then.
func openFile(ctx context.Context, path string) (*sql.DB, error) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	return prepare(ctx, whole, "file:"+(&url.URL{Path: whole}).EscapedPath()+
		"?_txlock=immediate&_pragma=busy_timeout(15000)&_pragma=synchronous(0)&_pragma=foreign_keys(1)")
}

// prepare opens a database that errors call by its name.
func prepare(ctx context.Context, name, source string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", source)
	if err != nil {
		return nil, fmt.Errorf("open the index %s: %w", name, err)
	}
	db.SetMaxOpenConns(1) // one in memory is a database each; and the file has one writer
	if err := makeTables(ctx, db); err != nil {
		return nil, errors.Join(fmt.Errorf("open the index %s: %w", name, err), db.Close())
	}
	return db, nil
}

// makeTables makes the tables anew unless those of this version are there.
func makeTables(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var found int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&found); err != nil {
		return err
	}
	if found != version {
		if _, err := tx.ExecContext(ctx, "DROP TABLE IF EXISTS readings; DROP TABLE IF EXISTS runs; DROP TABLE IF EXISTS state;"+tables+
			fmt.Sprintf("PRAGMA user_version = %d", version)); err != nil {
			return err
		}
	}
	var runs int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM runs, state").Scan(&runs); err != nil {
		return err
	}
	return tx.Commit()
}

// Dir is the folder.
func (x *Index) Dir() string { return x.dir }

// Note says what is to be known of the index itself; "": nothing.
func (x *Index) Note() string { return x.note }

// Close closes the index.
func (x *Index) Close() error { return x.db.Close() }
