package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"

	"github.com/upflab/upflab/internal/analysis/compare"
)

// Updated is what an update did.
type Updated struct {
	Read, Gone int
	// Problems are folders that could not be looked into.
	Problems []string
}

// Update brings the index to what the folders hold: results that are new or changed are
// read, those that are gone are forgotten. Two programs may do that at once. A disk that
// is full, or an index that somebody removed, moves it into memory.
func (x *Index) Update(ctx context.Context) (Updated, error) {
	files, problems, err := scan(x.dir)
	if err != nil {
		return Updated{}, err
	}
	u, err := x.update(ctx, files)
	if err != nil && x.note == "" && ctx.Err() == nil {
		u, err = x.updateInMemory(ctx, files, err)
	}
	u.Problems = problems
	return u, err
}

func (x *Index) updateInMemory(ctx context.Context, files []file, why error) (Updated, error) {
	m, err := openMemory(ctx, x.dir)
	if err != nil {
		return Updated{}, err
	}
	x.db.Close()
	x.db, x.note = m.db, fmt.Sprintf("the index is kept in memory, and made again each time: %v", why)
	return x.update(ctx, files)
}

func (x *Index) update(ctx context.Context, files []file) (u Updated, err error) {
	stale, gone, err := x.compareWith(ctx, files)
	if err != nil {
		return u, fmt.Errorf("read the index: %w", err)
	}
	u = Updated{Read: len(stale), Gone: len(gone)}
	for len(stale)+len(gone) > 0 {
		some := stale[:min(len(stale), batch)]
		if err := x.write(ctx, some, gone); err != nil {
			return Updated{}, err
		}
		stale, gone = stale[len(some):], nil
	}
	return u, nil
}

// batch is how many results are read before they are written: they are all in memory then.
const batch = 200

// write reads new results into the index and forgets those that are gone.
func (x *Index) write(ctx context.Context, stale []file, gone []string) error {
	runs := make([]*Run, len(stale))
	for i, f := range stale { // before the transaction, so that others wait little
		if err := ctx.Err(); err != nil {
			return err
		}
		runs[i] = read(x.dir, f)
	}
	tx, err := x.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE state SET changes = changes + 1"); err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	for _, path := range gone {
		if err := forget(ctx, tx, path); err != nil {
			return err
		}
	}
	for i, r := range runs {
		if err := keep(ctx, tx, stale[i], r); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	return nil
}

// compareWith lists the files that the index has not as they are, and what it has of
// files that are gone.
func (x *Index) compareWith(ctx context.Context, files []file) (stale []file, gone []string, err error) {
	rows, err := x.db.QueryContext(ctx, "SELECT path, size, mtime FROM runs")
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	known := map[string]file{}
	for rows.Next() {
		var f file
		if err := rows.Scan(&f.path, &f.size, &f.mtime); err != nil {
			return nil, nil, err
		}
		known[f.path] = f
	}
	for _, f := range files {
		if known[f.path] != f {
			stale = append(stale, f)
		}
		delete(known, f.path)
	}
	for path := range known {
		gone = append(gone, path)
	}
	return stale, gone, rows.Err()
}

func forget(ctx context.Context, tx *sql.Tx, path string) error {
	for _, table := range []string{"readings", "runs"} {
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE path = ?", path); err != nil {
			return fmt.Errorf("write the index: %w", err)
		}
	}
	return nil
}

func keep(ctx context.Context, tx *sql.Tx, f file, r *Run) error {
	if err := forget(ctx, tx, f.path); err != nil {
		return err
	}
	facts, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO runs VALUES (?, ?, ?, ?, ?)", f.path, f.size, f.mtime,
		r.Started.Unix(), string(facts)); err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	for _, v := range r.readings {
		if err := keepReading(ctx, tx, f.path, v); err != nil {
			return fmt.Errorf("write the index: %w", err)
		}
	}
	return nil
}

func keepReading(ctx context.Context, tx *sql.Tx, path string, v compare.Reading) error {
	byWire := sql.NullFloat64{Float64: v.ByWire, Valid: !math.IsNaN(v.ByWire)}
	_, err := tx.ExecContext(ctx, "INSERT INTO readings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", path, v.DUT, v.Version, v.Reference,
		string(v.Metric), v.Kind, string(v.Direction), v.Load, v.Value, byWire, v.N, v.Bounded)
	return err
}
