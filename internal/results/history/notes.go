package history

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/text/printable"
	"github.com/upflab/upflab/internal/text/safefile"
)

// NotesName is a file in the folder of results in which people write what happened when: a line
// for each note, with a day (2026-11-20) or the folder of a run, and the text.
const NotesName = "notes.txt"

// Bounds of the file: it may be anybody's.
const (
	notesBytes = 64 << 10
	notesMost  = 200
)

// Note is a line of the file.
type Note struct {
	At   time.Time // the day; zero: it is about a run
	Path string    // the run's folder below the store's; "": it is about a day
	Text string
}

// Notes reads the notes of a folder. Without the file there are none.
func Notes(dir string) (list []Note, err error) {
	text, err := safefile.Read(filepath.Join(dir, NotesName), notesBytes)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the notes: %w", err)
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() && len(list) < notesMost {
		line := strings.TrimSpace(printable.Line(lines.Text()))
		where, what, _ := strings.Cut(line, " ")
		if what = strings.TrimSpace(what); what == "" || strings.HasPrefix(line, "#") {
			continue
		}
		n := Note{Text: what}
		if day, err := time.Parse(time.DateOnly, where); err == nil {
			n.At = day
		} else {
			n.Path = strings.TrimSuffix(where, "/")
		}
		list = append(list, n)
	}
	return list, nil
}
