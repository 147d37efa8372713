package pages

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/render/html"
	"github.com/upflab/upflab/internal/results/live"
)

// look is how often the file of a run is looked at.
const look = time.Second

// livePage is what the page of a run shows.
type livePage struct {
	Events, Report string
	Form, Path     string
	Stop           bool
}

// live is the page of a run while it goes.
func (s *server) live(_ context.Context, r *http.Request) (shown, error) {
	path, folder, err := s.find(r.PathValue("path"))
	if err != nil {
		return shown{}, err
	}
	if live.StateOf(folder) == live.Unknown {
		return shown{}, notFound{fmt.Sprintf("The run %s wrote down nothing while it went; its report is at %s.", path, link("/runs/", path))}
	}
	script, err := assets.ReadFile("assets/live.js")
	if err != nil {
		return shown{}, err
	}
	d := block.Document{Title: "Run " + block.Printable(path), Maker: "upflab"}
	p := livePage{Events: link("/events/", path), Report: link("/runs/", path), Form: s.form, Path: path, Stop: s.o.Runs.owns(folder)}
	return shown{d, html.Frame{Body: filled("live.tmpl", p), Script: string(script)}}, nil
}

// oneLine is a line of a file that somebody else may have written: to a browser, a carriage
// return ends a line, too, after which "event:" or "data:" would be another event's.
func oneLine(line []byte) []byte { return bytes.ReplaceAll(line, []byte("\r"), []byte(" ")) }

// events sends the lines of a run as server-sent events, those of before first, then as they
// come, until the run has ended. An event's id is where the next one begins.
func (s *server) events(w http.ResponseWriter, r *http.Request) {
	_, folder, err := s.find(r.PathValue("path"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	select {
	case s.watch <- struct{}{}:
		defer func() { <-s.watch }()
	default:
		http.Error(w, "too many watch already", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	out.SetReadDeadline(time.Time{}) // the server's limit is for requests, and this one has been read
	at, _ := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64)
	var drawn curves // from the first line on, also for one who comes back
	for read := int64(0); ; {
		state := live.StateOf(folder)
		lines, next, err := live.ReadFrom(folder, read)
		if err != nil {
			return
		}
		out.SetWriteDeadline(time.Now().Add(time.Minute)) // one that does not read is let go
		for _, line := range lines {
			read += int64(len(line)) + 1
			drawn.hear(line)
			if read > at {
				fmt.Fprintf(w, "id: %d\ndata: %s\n\n", read, oneLine(line))
			}
		}
		more := len(lines) > 0 && next < at // what one who comes back knows is passed over
		read = next
		over := len(lines) == 0 && state != live.Running
		if drawn.due() || over && drawn.dirty {
			if text, err := drawn.draw(); err == nil {
				fmt.Fprintf(w, "event: curves\ndata: %s\n\n", text)
			}
		}
		if over {
			fmt.Fprintf(w, "event: over\ndata: %t\n\n", state == live.Ended)
			out.Flush()
			return
		}
		if out.Flush() != nil {
			return
		}
		if more {
			continue
		}
		select {
		case <-r.Context().Done():
			return
		case <-time.After(look):
		}
	}
}
