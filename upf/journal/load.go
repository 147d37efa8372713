package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// load reads the file and makes it anew without what holds no more.
func (j *Journal) load() (Held, error) {
	held, damaged := Held{Values: map[string]json.RawMessage{}}, map[string]bool{}
	f, err := os.OpenFile(j.path(), os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return held, err
	}
	j.file = f
	if s, err := f.Stat(); err != nil || !s.Mode().IsRegular() {
		return held, errors.Join(err, fmt.Errorf("%s is no regular file: move it away to begin anew", j.path()), f.Close())
	}
	r := bufio.NewReaderSize(f, 1<<20)
	for {
		record, err := next(r)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return held, errors.Join(fmt.Errorf("%s: %w", j.path(), err), f.Close())
		}
		j.take(record, &held, damaged)
		j.size += int64(len(record))
	}
	held.Damaged += len(damaged)
	return held, j.compact()
}

// take enters a record. One that is damaged takes the value of its key with it: it was a newer one. A later
// record of the key makes good for it.
func (j *Journal) take(record []byte, held *Held, damaged map[string]bool) {
	where := span{j.size, len(record)}
	l, err := opened(bytes.TrimSuffix(record, []byte("\n")))
	if err != nil {
		lost := keys(record)
		if len(lost) == 0 {
			held.Damaged++
		}
		for _, key := range lost {
			damaged[key] = true
			j.note(line{Key: key}, span{})
			delete(held.Values, key)
		}
		return
	}
	j.note(l, where)
	delete(damaged, l.Key)
	if l.Value == nil {
		delete(held.Values, l.Key)
		return
	}
	held.Values[l.Key] = l.Value
}

// compactWaste is how much of the file may hold no more, besides as much as holds.
const compactWaste = 16 << 20

func (j *Journal) maybeCompact() error {
	if j.waste < compactWaste || j.waste < j.size/2 {
		return nil
	}
	return j.compact()
}

// compact writes what holds to a new file, which replaces the old one at once.
func (j *Journal) compact() error {
	name := j.path() + ".new"
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a process that was killed
		return err
	}
	temp, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	live, size, err := j.copyTo(temp)
	if err == nil {
		err = os.Rename(temp.Name(), j.path())
	}
	if err != nil {
		return errors.Join(err, temp.Close(), os.Remove(temp.Name()))
	}
	j.file.Close()
	j.file, j.live, j.size, j.waste = temp, live, size, 0
	return nil
}

func (j *Journal) copyTo(to *os.File) (live map[string]span, size int64, err error) {
	w := bufio.NewWriterSize(to, 1<<20)
	live = make(map[string]span, len(j.live))
	var text []byte
	for key, where := range j.live {
		text = append(text[:0], make([]byte, where.length)...)
		if _, err := j.file.ReadAt(text, where.at); err != nil {
			return nil, 0, err
		}
		if unsealed(text) {
			text = sealed(bytes.TrimSuffix(text, []byte("\n")))
		}
		if _, err := w.Write(text); err != nil {
			return nil, 0, err
		}
		live[key] = span{size, len(text)}
		size += int64(len(text))
	}
	return live, size, w.Flush()
}
