package history

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/upflab/upflab/internal/analysis/compare"
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

const version = 4

// indexMost is the size in bytes of the largest index that is read: of some 100,000 runs.
const indexMost = 1 << 30

// Index is the index of a folder of results. It is held in memory, and its file is replaced whole,
// so that several programs may use it at once: each reads the folders itself.
type Index struct {
	dir, path string // path is "" where nothing is to be written

	updating sync.Mutex // held while the folders are read

	mu      sync.Mutex // of what follows
	note    string
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

// reading is one in JSON, which has no NaN.
type reading struct {
	compare.Reading
	ByWire *float64 `json:",omitempty"`
}

// Open opens the index of a folder, or begins an empty one: call Update next.
func Open(ctx context.Context, dir string) (*Index, error) {
	x, err := OpenInMemory(ctx, dir)
	if err != nil {
		return nil, err
	}
	x.path = filepath.Join(dir, IndexName)
	x.load() // damaged: nothing is in it that is not in the folders
	return x, nil
}

// OpenInMemory opens an index that leaves nothing in the folder.
func OpenInMemory(_ context.Context, dir string) (*Index, error) {
	if info, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) || err == nil && !info.IsDir() {
		return nil, fmt.Errorf("there is no folder %s: name the one that `upflab run` writes into, results unless --out said otherwise", dir)
	}
	if err := readable(dir); err != nil {
		return nil, err
	}
	return &Index{dir: dir, kept: map[string]entry{}}, nil
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

// save writes the file. Where that fails, Note says so, and the index is in memory alone.
func (x *Index) save() {
	if x.path == "" {
		return
	}
	var b bytes.Buffer
	lines := json.NewEncoder(&b)
	err := lines.Encode(head{version})
	for _, path := range slices.Sorted(maps.Keys(x.kept)) {
		if err == nil {
			err = lines.Encode(x.kept[path])
		}
	}
	if err == nil {
		err = atomicfile.Write(x.path, b.Bytes(), 0o644)
	}
	if x.note = ""; err != nil {
		x.note = fmt.Sprintf("the index is kept in memory, and made again each time: %v", err)
	}
}

// newEntry is what the index keeps of a run.
func newEntry(f file, r *Run) entry {
	e := entry{Path: f.path, Size: f.size, MTime: f.mtime, Run: r}
	for _, v := range r.readings {
		kept := reading{Reading: v}
		if !math.IsNaN(v.ByWire) {
			kept.ByWire = &v.ByWire
		}
		e.Readings = append(e.Readings, kept)
	}
	r.readings = nil
	return e
}

// reading is one as it was.
func (v reading) reading() compare.Reading {
	r := v.Reading
	if r.ByWire = math.NaN(); v.ByWire != nil {
		r.ByWire = *v.ByWire
	}
	return r
}

// Dir is the folder.
func (x *Index) Dir() string { return x.dir }

// Note says what is to be known of the index itself; "": nothing.
func (x *Index) Note() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.note
}

// Close ends the use of the index.
func (x *Index) Close() error { return nil }
