// Package rawdata keeps what the figures of a run were computed from, in the folder raw of its result:
// a JSON line for each trial, and tables of its counts by time, its histograms and its timed packets.
// They are gzip of text, with a member for each trial: any program reads them, a run that is killed
// leaves whole members, and result.json says how long each file is.
package rawdata

import "github.com/upflab/upflab/internal/record"

// Schema names the version of the format.
const Schema = "upflab.raw/v1"

// Folder has the files, in the folder of the result.
const Folder = "raw"

// The files, and the one that is written before the first packet.
const (
	trialsFile     = "trials.jsonl.gz"
	windowsFile    = "windows.csv.gz"
	histogramsFile = "histograms.csv.gz"
	passagesFile   = "passages.csv.gz"
	registerFile   = "registered.json"
)

// files are in the order in which a trial is added to them.
var files = []string{windowsFile, histogramsFile, passagesFile, trialsFile}

// Files are the names of all, relative to the result's folder.
func Files() (names []string) {
	for _, f := range append(files, registerFile) {
		names = append(names, Folder+"/"+f)
	}
	return names
}

// MostBytes is how much a run keeps at most, octets.
const MostBytes = 256 << 20

// columns are the first lines of the tables.
var columns = map[string]string{
	windowsFile: "trial,flow,begin_ns,length_ns,counts,intended,skipped,late,stalls,sent,sent_bytes,received,received_bytes," +
		"jitter_sum,jitter_count\n",
	histogramsFile: "trial,flow,distribution,part,le_ns,count\n",
	passagesFile:   "trial,direction,due_ns,since_due_ns,took_ns,session\n",
}

// flowNames are those of the engine's flows, by their number. The generator's own counts are of all
// flows together.
var flowNames = []string{string(record.Uplink), string(record.Downlink)}

const generator = "generator"
