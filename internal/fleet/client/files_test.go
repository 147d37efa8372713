package client_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/fleet/client"
	"github.com/upflab/upflab/internal/fleet/fleettest"
	"github.com/upflab/upflab/internal/record"
)

// TestFilesOfAnAgent: an agent that measured its job hands in pages and programs with the result. The
// reports are the client's, what runs write is kept, and the rest is named and left.
func TestFilesOfAnAgent(t *testing.T) {
	l := fleettest.New(t, 20*time.Second)
	c, p, out := l.Operator(), fleettest.Plan(2), t.TempDir()
	if _, err := client.Submit(t.Context(), c, p); err != nil {
		t.Fatal(err)
	}
	result, err := json.Marshal(&record.Result{Schema: record.Schema, Run: "evil01", Scenario: "simulated", Title: "measured",
		Settings: p.Jobs[0].Scenario, Started: time.Now(), Finished: time.Now(), Complete: true, Tool: record.Tool{Version: p.Version}})
	if err != nil {
		t.Fatal(err)
	}
	const page, ansi = "<script>alert(1)</script>", "\x1b[2J\x1b]0;owned\a"
	files := archive(t, "result/result.json", string(result), "result/report.html", page, "result/report.md", page,
		"result/live.jsonl", "", "log.txt", "measured\n", "result/builtin/upf.log", "started\n",
		"result/.htaccess", "AddHandler x .log", "result/index.html", page, "result/builtin/init.sh", "#!/bin/sh\n",
		"result/builtin/"+ansi+".log", "x", "result/job.json", "{}", "autorun.inf", "x", "scenario.yaml", "x", "report.json", "{}")
	evil := newAttacker(t, l)
	for _, state := range []fleet.State{fleet.Done, fleet.Failed} {
		o := evil.takes()
		r := evil.hands(o, files)
		r.State = state
		if err := evil.asks(fleet.MethodReport, fleet.ReportAsked{Ticket: o.Ticket, Report: evil.signs(r)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	var said strings.Builder
	d := &client.Campaign{Conn: c, Plan: p, Out: out, Notice: func(s string) { said.WriteString(s + "\n") }}
	if _, err := d.Follow(ctx); err != nil {
		t.Fatal(err)
	}
	for _, j := range p.Jobs {
		checkKept(t, client.Folder(out, j), page)
	}
	notice := said.String()
	if strings.ContainsAny(notice, "\x1b\a") || strings.Count(notice, "runs write no such files") != 2 ||
		!strings.Contains(notice, `".htaccess", "index.html", "builtin/init.sh", "builtin/\x1b[2J\x1b]0;owned\a.log", "job.json" and 1 more`) {
		t.Errorf("the client said %q", notice)
	}
}

// checkKept wants the files of a run in a folder, and no others, with reports that were made here.
func checkKept(t *testing.T, dir, page string) {
	t.Helper()
	want := map[string]bool{"result.json": true, "report.html": true, "report.md": true, "live.jsonl": true, "log.txt": true,
		"job.json": true, "builtin/upf.log": true}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if !want[name] {
			t.Errorf("%q was kept", name)
		}
		delete(want, name)
		if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), page) {
			t.Errorf("%s: %v, or the agent's page", name, err)
		}
		return nil
	})
	if err != nil || len(want) > 0 {
		t.Errorf("not kept: %v %v", want, err)
	}
}
