package rawdata

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"sync"

	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/atomicfile"
	"github.com/upflab/upflab/internal/text/safefile"
)

// Writer adds trials to the files of a run.
type Writer struct {
	most  int64
	mu    sync.Mutex
	files []*file // by the order of files
	ids   uint64
	full  bool
	err   error // after which nothing is added
}

// file is one that grows by gzip members.
type file struct {
	name  string
	f     *os.File
	bytes int64
	sum   hash.Hash
}

// register is registerFile: whose raw data these are, and what was settled before them.
type register struct {
	Schema     string             `json:"schema"`
	Run        string             `json:"run"`
	Registered *record.Registered `json:"registered"`
}

// Create begins the raw data of a run in the folder of its result, before its first packet.
func Create(dir, run string, settled *record.Registered) (*Writer, error) {
	folder := filepath.Join(dir, Folder)
	if err := safefile.MakeFolder(folder, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of the raw data: %w", err)
	}
	head, err := json.MarshalIndent(register{Schema, run, settled}, "", " ")
	if err != nil {
		return nil, err
	}
	if err := atomicfile.Write(filepath.Join(folder, registerFile), append(head, '\n'), 0o644); err != nil {
		return nil, fmt.Errorf("write what is settled before the run: %w", err)
	}
	w := &Writer{most: MostBytes}
	for _, name := range files {
		f, err := safefile.Create(filepath.Join(folder, name), 0o644)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("begin the raw data: %w", err), w.Close())
		}
		x := &file{name: name, f: f, sum: sha256.New()}
		w.files = append(w.files, x)
		if first := columns[name]; first != "" {
			if err := x.add([]byte(first)); err != nil {
				return nil, errors.Join(err, w.Close())
			}
		}
	}
	return w, nil
}

// add appends a member and waits until the disk has it.
func (f *file) add(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	if _, err := zip.Write(text); err != nil {
		return err
	}
	if err := zip.Close(); err != nil {
		return err
	}
	if _, err := f.f.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write raw data: %w; make room, or write to another disk", err)
	}
	f.bytes += int64(b.Len())
	f.sum.Write(b.Bytes())
	return f.f.Sync()
}

// Add adds what a trial is computed from, and gives the number of its record; 0: the run keeps no more.
func (w *Writer) Add(r *trial.Raw) (uint64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil || w.full {
		return 0, w.err
	}
	var size int64
	for _, f := range w.files {
		size += f.bytes
	}
	if w.full = size > w.most; w.full {
		return 0, nil
	}
	texts, err := encode(w.ids+1, r)
	for i := 0; err == nil && i < len(texts); i++ {
		err = w.files[i].add(texts[i])
	}
	if w.err = err; err != nil {
		return 0, err
	}
	w.ids++
	return w.ids, nil
}

// encode is a trial as text, for each of files.
func encode(id uint64, r *trial.Raw) (texts [][]byte, err error) {
	var b [3]bytes.Buffer
	windows(&b[0], id, &r.Outcome)
	histograms(&b[1], id, r)
	passages(&b[2], id, r)
	for i := range b {
		texts = append(texts, b[i].Bytes())
	}
	text, err := json.Marshal(line{id, r, outcomeOf(r)})
	if err != nil {
		return nil, fmt.Errorf("encode the raw data of trial %d: %w", id, err)
	}
	return append(texts, append(text, '\n')), nil
}

// Data describes the files as they are now.
func (w *Writer) Data() *record.RawData {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := &record.RawData{Schema: Schema, Trials: w.ids, Full: w.full}
	for _, f := range w.files {
		d.Files = append(d.Files, record.RawFile{Name: Folder + "/" + f.name, Bytes: f.bytes, SHA256: hex.EncodeToString(f.sum.Sum(nil))})
	}
	return d
}

// Close ends the files.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var errs []error
	for _, f := range w.files {
		errs = append(errs, f.f.Close())
	}
	return errors.Join(errs...)
}
