package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// load reads the file and makes it anew without what holds no more.
func (j *Journal) load() (map[string]json.RawMessage, error) {
	f, err := os.OpenFile(j.path(), os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	j.file = f
	values := map[string]json.RawMessage{}
	r := bufio.NewReaderSize(f, 1<<20)
	for {
		text, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break // a line without an end was being written when the process was killed
		}
		if err != nil {
			return nil, err
		}
		j.take(text, values)
		j.size += int64(len(text))
	}
	return values, j.compact()
}

// take enters a line; one that is damaged is skipped.
func (j *Journal) take(text []byte, values map[string]json.RawMessage) {
	var l line
	if json.Unmarshal(text, &l) != nil || l.Key == "" {
		return
	}
	j.note(l, span{j.size, len(text)})
	if l.Value == nil {
		delete(values, l.Key)
		return
	}
	values[l.Key] = l.Value
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
	temp, err := os.OpenFile(j.path()+".new", os.O_CREATE|os.O_RDWR|os.O_TRUNC|unix.O_NOFOLLOW, 0o600)
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
	j.file, j.live, j.size, j.waste, j.torn = temp, live, size, 0, false
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
		if _, err := w.Write(text); err != nil {
			return nil, 0, err
		}
		live[key] = span{size, where.length}
		size += int64(where.length)
	}
	return live, size, w.Flush()
}
