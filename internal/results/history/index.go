package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"sync"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/atomicfile"
	"github.com/upflab/upflab/internal/text/safefile"
)

// IndexName is the index in the folder that it is of: JSON Lines, a head and a line for each run.
const IndexName = ".upflab-index.jsonl"

// head is the first line: Version is that of what the lines hold. An index of another one is
// made again.
type head struct {
	Version int `json:"upflab_index"`
}

const version = 10

// indexMost is the size in bytes of the largest index that is read or written, about half of what a
// server of pages may take.
const indexMost = 100 << 20

// Index is the index of a folder of results. It is held in memory, and its file is replaced whole,
// so that several programs may use it at once: each reads the folders itself.
type Index struct {
	dir, path string // path is "" where nothing is to be written

	updating sync.Mutex // held while the folders are read and the file is written

	mu      sync.Mutex       // of what follows
	note    string           // why the file was not written; "": it was
	kept    map[string]entry // by the path of the run
	changes int64
}

// entry is what the index has of a result, and of which state of its file.
type entry struct {
	Path     string    `json:"path"`
	Size     int64     `json:"size"`
	MTime    int64     `json:"mtime"` // ns since 1970
	Run      *Run      `json:"run"`
	Readings []reading `json:"readings,omitempty"`
}

func (e entry) file() file { return file{e.Path, e.Size, e.MTime} }

// reading is what series take of a compare.Reading.
type reading struct {
	DUT       string
	Version   string
	Reference bool
	Metric    compare.Metric
	Kind      record.Kind
	Direction record.Direction
	Load      string
	Value     float64
	ByWire    *float64 `json:",omitempty"` // nil: NaN, which JSON has not
	N         int
	Bounded   bool
	Sign      string `json:",omitempty"`
}

func readings(all []compare.Reading) (list []reading) {
	for _, v := range all {
		kept := reading{v.DUT, v.Version, v.Reference, v.Metric, v.Key.Kind, v.Key.Direction, v.Load, v.Value, nil, v.N, v.Bounded, v.Sign}
		if byWire := v.ByWire; !math.IsNaN(byWire) {
			kept.ByWire = &byWire
		}
		list = append(list, kept)
	}
	return list
}

func (v reading) byWire() float64 {
	if v.ByWire == nil {
		return math.NaN()
	}
	return *v.ByWire
}

// Open opens the index of a folder, or begins an empty one: call Update next.
func Open(dir string) (*Index, error) {
	x, err := OpenInMemory(dir)
	if err != nil {
		return nil, err
	}
	x.path = filepath.Join(dir, IndexName)
	x.load() // where that fails, the folders hold all that was in it
	return x, nil
}

// OpenInMemory opens an index that leaves nothing in the folder.
func OpenInMemory(dir string) (*Index, error) {
	if err := checkFolder(dir); err != nil {
		return nil, err
	}
	return &Index{dir: dir, kept: map[string]entry{}}, nil
}

// load reads the file up to a line that is damaged.
func (x *Index) load() {
	text, err := safefile.Read(x.path, indexMost)
	if err != nil {
		return
	}
	lines := json.NewDecoder(bytes.NewReader(text))
	var h head
	if err := lines.Decode(&h); err != nil || h.Version != version {
		return
	}
	for {
		var e entry
		if err := lines.Decode(&e); err != nil || e.Run == nil {
			return
		}
		e.Run.Path = e.Path
		x.kept[e.Path] = e
	}
}

// save writes the file; others use the index meanwhile. Where that fails, Note says so, and the index
// is in memory alone.
func (x *Index) save() {
	if x.path == "" {
		return
	}
	x.mu.Lock()
	kept := maps.Clone(x.kept) // an entry stays as it is
	x.mu.Unlock()
	note := ""
	if err := write(x.path, kept); err != nil {
		note = fmt.Sprintf("the index is kept in memory, and made again each time: %v", err)
	}
	x.mu.Lock()
	x.note = note
	x.mu.Unlock()
}

// write replaces the file.
func write(path string, kept map[string]entry) error {
	var b bytes.Buffer
	lines := json.NewEncoder(&b)
	if err := lines.Encode(head{version}); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		if err := lines.Encode(kept[name]); err != nil {
			return err
		}
		if b.Len() > indexMost {
			return fmt.Errorf("%s would be larger than %d MiB: serve parts of the folder", path, indexMost>>20)
		}
	}
	return atomicfile.Write(path, b.Bytes(), 0o644)
}

// newEntry is what the index keeps of a run.
func newEntry(f file, r *Run) entry {
	e := entry{Path: f.path, Size: f.size, MTime: f.mtime, Run: r, Readings: r.readings}
	r.readings = nil
	return e
}

// Dir is the folder.
func (x *Index) Dir() string { return x.dir }

// Note says what is to be known of the index itself; "": nothing.
func (x *Index) Note() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.note
}
