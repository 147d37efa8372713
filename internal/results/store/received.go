package store

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The reports of a result, in its folder.
const (
	ReportMarkdown = "report.md"
	ReportHTML     = "report.html"
)

// Receiver decides which files are taken of a run that another host measured. That host is not
// trusted: a file is taken only if runs write files of that name and no program executes or renders
// them when they are opened. The reports are made here from result.json.
type Receiver struct {
	named []string
	more  int
}

// plainName is one of those of folders and files that runs write: targets, such as builtin-xdp, programs,
// and behaviour cases. None is hidden, or looks like an option.
var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@+=,-]{0,127}$`)

// ofRun are the files in the folder of a run, and kinds the ones of its UPFs in theirs: configurations,
// logs, captures, counters.
var (
	ofRun    = []string{FileName, "live.jsonl", "log.txt"}
	rawFiles = []string{"raw/registered.json", "raw/trials.jsonl.gz", "raw/windows.csv.gz", "raw/histograms.csv.gz", "raw/passages.csv.gz"}
	kinds    = []string{".conf", ".json", ".jsonc", ".log", ".pcap", ".pcapng", ".txt", ".yaml", ".yml"}
)

// Takes reports whether the file of a name, relative to the run's folder with slashes, is taken.
func (r *Receiver) Takes(name string) bool {
	switch folder, file, deeper := strings.Cut(name, "/"); {
	case !deeper && slices.Contains(ofRun, name), slices.Contains(rawFiles, name):
		return true
	case !deeper && (name == ReportMarkdown || name == ReportHTML):
		return false // made here
	case deeper && plainName.MatchString(folder) && plainName.MatchString(file) && slices.Contains(kinds, path.Ext(file)):
		return true
	}
	r.Refuse(name)
	return false
}

// mostNamed is how many refused files are named; the others are counted.
const mostNamed = 5

// Refuse notes a file that was not taken.
func (r *Receiver) Refuse(name string) {
	if len(r.named) < mostNamed {
		r.named = append(r.named, Quoted(name))
	} else {
		r.more++
	}
}

// Refused describes the files that were not taken, in a spelling that controls no terminal; "" when
// there were none.
func (r *Receiver) Refused() string {
	text := strings.Join(r.named, ", ")
	if r.more > 0 {
		text += " and " + strconv.Itoa(r.more) + " more"
	}
	return text
}

// Quoted is a name of another host as ASCII in quotes, of at most 80 octets of it.
func Quoted(name string) string {
	const most = 80 // octets
	if len(name) > most {
		return strconv.QuoteToASCII(name[:most]) + "..."
	}
	return strconv.QuoteToASCII(name)
}
