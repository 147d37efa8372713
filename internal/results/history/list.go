package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/upflab/upflab/internal/analysis/compare"
)

// Filter chooses runs and series; what is "" chooses all.
type Filter struct {
	Scenario string // name
	Machine  string // a part of its name
	DUT      string // name:mode, or the name alone
	Metric   string
}

func (f Filter) run(r *Run) bool {
	return (f.Scenario == "" || f.Scenario == r.Scenario) && (f.Machine == "" || strings.Contains(r.Machine, f.Machine)) && f.hasDUT(r)
}

func (f Filter) hasDUT(r *Run) bool {
	if f.DUT == "" {
		return true
	}
	for _, d := range r.DUTs {
		if f.dut(d.Label) {
			return true
		}
	}
	return false
}

func (f Filter) dut(label string) bool {
	name, _, _ := strings.Cut(label, ":")
	return f.DUT == "" || f.DUT == label || f.DUT == name
}

// Runs lists the runs, oldest first; those that cannot be read come first of all.
func (x *Index) Runs(ctx context.Context, f Filter) (list []*Run, err error) {
	rows, err := x.db.QueryContext(ctx, "SELECT path, facts FROM runs ORDER BY started, path")
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		r := new(Run)
		var facts string
		if err := rows.Scan(&r.Path, &facts); err != nil {
			return nil, fmt.Errorf("read the index: %w", err)
		}
		if err := json.Unmarshal([]byte(facts), r); err != nil {
			return nil, fmt.Errorf("read the index: %w", err)
		}
		if f == (Filter{}) || r.Unreadable == "" && f.run(r) {
			list = append(list, r)
		}
	}
	return list, rows.Err()
}

// Changes counts how often the index was changed, by any program: while it is the same, so
// is all that is in it. An index that was made again begins elsewhere.
func (x *Index) Changes(ctx context.Context) (n int64, err error) {
	if err := x.db.QueryRowContext(ctx, "SELECT changes FROM state").Scan(&n); err != nil {
		return 0, fmt.Errorf("read the index: %w", err)
	}
	return n, nil
}

// Find gives the run in a folder, named below the store's; nil: there is none.
func (x *Index) Find(ctx context.Context, path string) (*Run, error) {
	r := &Run{Path: path}
	var facts string
	err := x.db.QueryRowContext(ctx, "SELECT facts FROM runs WHERE path = ?", path).Scan(&facts)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(facts), r)
	}
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	return r, nil
}

// readings gives the readings of runs, which are in order.
func (x *Index) readings(ctx context.Context, runs []*Run, f Filter) (err error) {
	of := map[string]*Run{}
	for _, r := range runs {
		of[r.Path] = r
		r.readings = nil
	}
	rows, err := x.db.QueryContext(ctx, `SELECT path, dut, version, reference, metric, kind, direction, load, value, by_wire, n, bounded
		FROM readings ORDER BY rowid`)
	if err != nil {
		return fmt.Errorf("read the index: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		path, v, err := reading(rows)
		if err != nil {
			return fmt.Errorf("read the index: %w", err)
		}
		if r := of[path]; r != nil && (v.Reference || f.dut(v.DUT)) && (f.Metric == "" || f.Metric == string(v.Metric)) {
			r.readings = append(r.readings, v)
		}
	}
	return rows.Err()
}

func reading(rows *sql.Rows) (path string, v compare.Reading, err error) {
	var byWire sql.NullFloat64
	err = rows.Scan(&path, &v.DUT, &v.Version, &v.Reference, &v.Metric, &v.Kind, &v.Direction, &v.Load, &v.Value, &byWire, &v.N, &v.Bounded)
	if v.ByWire = math.NaN(); byWire.Valid {
		v.ByWire = byWire.Float64
	}
	return path, v, err
}
