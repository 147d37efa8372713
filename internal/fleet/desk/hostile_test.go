package desk_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/fleet/desk"
	"github.com/upflab/upflab/internal/fleet/fleettest"
)

// hostile connects with an agent's pass, and records what the hub refuses.
func hostile(t *testing.T, l *fleettest.Lab) (c *fleet.Conn, refused chan string) {
	t.Helper()
	refused = make(chan string, 100)
	pass := l.Pass("evil", "evil")
	time.Sleep(time.Second) // the hub reads its members twice a second
	c, err := fleet.Open(t.Context(), fleet.Access{Pass: pass, Name: "evil"}, nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
		refused <- err.Error()
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, refused
}

// TestHostileAgentIsConfined: what is another's an agent cannot write, nor listen to.
func TestHostileAgentIsConfined(t *testing.T) {
	l := fleettest.New(t, 20*time.Second)
	c, refused := hostile(t, l)
	for _, subject := range []string{
		"$KV.upflab_leases.rack1", "$KV.upflab_alive.rack1", "$KV.upflab_runs.rack1.j1", "$KV.upflab_classes.c1", "$KV.upflab_config.settings",
		"upflab.job.c1.j1", "$O.upflab_results_rack1.M.x", "$O.upflab_plans.M.x", "$JS.API.STREAM.DELETE.UPFLAB_JOBS",
		"$JS.API.STREAM.PURGE.UPFLAB_JOBS", "$JS.API.CONSUMER.CREATE.UPFLAB_JOBS.x", "$JS.API.CONSUMER.DELETE.UPFLAB_JOBS.x", "$SYS.REQ.SERVER.PING", "_INBOX_operator.x",
	} {
		if err := c.NATS.Publish(subject, []byte("garbage")); err != nil {
			t.Fatal(err)
		}
		expectRefusal(t, refused, subject)
	}
	for _, subject := range []string{">", "_INBOX_operator.>", "upflab.>", "$KV.upflab_runs.>"} {
		if _, err := c.NATS.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		expectRefusal(t, refused, subject)
	}
}

func expectRefusal(t *testing.T, refused chan string, subject string) {
	t.Helper()
	select {
	case text := <-refused:
		if !strings.Contains(strings.ToLower(text), "permissions violation") {
			t.Errorf("%s: %s", subject, text)
		}
	case <-time.After(10 * time.Second):
		t.Errorf("%s was not refused", subject)
	}
}

// TestGarbageIsRefused: whatever an agent hands in for a job, the job is measured by
// another, and the store has that one's result only.
func TestGarbageIsRefused(t *testing.T) {
	l := fleettest.New(t, 20*time.Second)
	packed := [][]byte{
		[]byte("garbage"),
		archive(t, "../../escaped", "x"),
		archive(t, "/tmp/escaped", "x"),
		archive(t, "result/other", "x"),
		archive(t, "result/result.json", "{"),
		archive(t, "result/result.json", `{"schema":"upflab.result/v1","settings":"name: other\n"}`),
	}
	c, p, out := l.Desk(), fleettest.Plan(len(packed)+2), t.TempDir()
	evil, _ := hostile(t, l)
	if _, err := desk.Submit(t.Context(), c, p); err != nil {
		t.Fatal(err)
	}
	put := func(key string, data []byte) {
		t.Helper()
		if _, err := evil.Runs.Put(t.Context(), key, data); err != nil {
			t.Fatal(err)
		}
	}
	for i, b := range packed {
		job := p.Jobs[i].ID
		hand(t.Context(), t, evil, job, b)
		done, _ := json.Marshal(fleet.Run{Job: job, Agent: "evil", Testbed: "evil", State: fleet.Done, Object: job})
		put("evil."+job, done)
	}
	put("evil."+p.Jobs[len(packed)].ID, []byte("\x00\x1b[2Jgarbage"))
	forged, _ := json.Marshal(fleet.Run{Job: p.Jobs[len(packed)+1].ID, Agent: "rack1", State: fleet.Done})
	put("evil.other", forged)
	l.Agent(l.Config(l.Pass("rack1", "rack1"), "rack1", 0))
	for id, r := range l.Follow(c, p, out, time.Minute) {
		if r.Agent != "rack1" {
			t.Errorf("%s is of agent %s", id, r.Agent)
		}
	}
	fleettest.CheckResults(t, p, out)
}

func hand(ctx context.Context, t *testing.T, c *fleet.Conn, job string, packed []byte) {
	t.Helper()
	results, err := c.Results(ctx, "evil")
	if err == nil {
		_, err = results.Put(ctx, jetstream.ObjectMeta{Name: job}, bytes.NewReader(packed))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func archive(t *testing.T, name, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	out := tar.NewWriter(zip)
	if err := out.WriteHeader(&tar.Header{Name: name, Size: int64(len(text)), Mode: 0o644}); err != nil {
		t.Fatal(err)
	}
	_, _ = out.Write([]byte(text))
	_, _ = out.Close(), zip.Close()
	return b.Bytes()
}
