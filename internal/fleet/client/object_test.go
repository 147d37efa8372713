package client_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/fleet/fleettest"
)

// objects is an agent's store of results, and a client that reads it.
type objects struct {
	t        *testing.T
	operator *fleet.Conn
	store    jetstream.ObjectStore
}

func newObjects(t *testing.T) objects {
	l := fleettest.New(t, 20*time.Second)
	newAttacker(t, l)
	c := l.Operator()
	store, err := c.Results(t.Context(), "evil")
	if err != nil {
		t.Fatal(err)
	}
	return objects{t, c, store}
}

// put hands in octets as messages of 100.
func (o objects) put(octets int) (data []byte, info *jetstream.ObjectInfo) {
	o.t.Helper()
	data = make([]byte, octets)
	rand.Read(data)
	info, err := o.store.Put(o.t.Context(),
		jetstream.ObjectMeta{Name: "j", Opts: &jetstream.ObjectMetaOptions{ChunkSize: 100}}, bytes.NewReader(data))
	if err != nil {
		o.t.Fatal(err)
	}
	return data, info
}

// describe replaces what the store says of an object, as an agent can.
func (o objects) describe(info jetstream.ObjectInfo) {
	o.t.Helper()
	data, err := json.Marshal(info)
	if err == nil {
		m := nats.NewMsg("$O.upflab_results_evil.M.ag==") // "j" in base64
		m.Header.Set("Nats-Rollup", "sub")
		m.Data = data
		_, err = o.operator.JS.PublishMsg(o.t.Context(), m)
	}
	if err != nil {
		o.t.Fatal(err)
	}
}

// read reads it as the client does.
func (o objects) read() ([]byte, error) {
	ctx, stop := context.WithTimeout(o.t.Context(), 10*time.Second)
	defer stop()
	f, err := os.Create(filepath.Join(o.t.TempDir(), "packed"))
	if err != nil {
		o.t.Fatal(err)
	}
	defer f.Close()
	if _, err := o.operator.Object(ctx, "evil", "j", f); err != nil {
		return nil, err
	}
	return os.ReadFile(f.Name())
}

// TestObject: results of no message, one, several and more than are read one by one arrive as
// they were handed in.
func TestObject(t *testing.T) {
	o := newObjects(t)
	for _, octets := range []int{0, 1, 100, 101, 799, 800, 801, 5000} {
		want, info := o.put(octets)
		got, err := o.read()
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d octets in %d messages: %d came, %v", octets, info.Chunks, len(got), err)
		}
	}
}

// TestObjectInOrder: messages of another object between those of one are not part of it.
func TestObjectInOrder(t *testing.T) {
	o := newObjects(t)
	want, info := o.put(700)
	subject := "$O.upflab_results_evil.C." + info.NUID
	if _, err := o.operator.JS.Publish(t.Context(), "$O.upflab_results_evil.C.other", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := o.operator.JS.Publish(t.Context(), subject, []byte("more than was said")); err != nil {
		t.Fatal(err)
	}
	if got, err := o.read(); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d octets came, %v", len(got), err)
	}
}

// TestObjectIsNotWhole: what an agent says of its result is compared with the result.
func TestObjectIsNotWhole(t *testing.T) {
	o := newObjects(t)
	_, info := o.put(500)
	for story, change := range map[string]func(*jetstream.ObjectInfo){
		"another digest":        func(i *jetstream.ObjectInfo) { i.Digest = "SHA-256=" + i.Digest[9:20] },
		"no digest":             func(i *jetstream.ObjectInfo) { i.Digest = "" },
		"fewer messages":        func(i *jetstream.ObjectInfo) { i.Chunks-- },
		"more messages":         func(i *jetstream.ObjectInfo) { i.Chunks++ },
		"messages of all":       func(i *jetstream.ObjectInfo) { i.NUID = ">" },
		"no subject":            func(i *jetstream.ObjectInfo) { i.NUID = "a b\r\n" },
		"messages of no one":    func(i *jetstream.ObjectInfo) { i.NUID = "nobody" },
		"no messages, a digest": func(i *jetstream.ObjectInfo) { i.Chunks = 0 },
	} {
		changed := *info
		change(&changed)
		o.describe(changed)
		if got, err := o.read(); !errors.Is(err, jetstream.ErrDigestMismatch) {
			t.Errorf("%s: %d octets, %v", story, len(got), err)
		}
	}
	o.describe(*info)
	if _, err := o.read(); err != nil {
		t.Errorf("as it was: %v", err)
	}
}

// TestObjectWithoutMessages: a result of many messages of which some are missing is refused at
// once, and so is one of more than can be, and one that is a link to another's.
func TestObjectWithoutMessages(t *testing.T) {
	o := newObjects(t)
	_, info := o.put(5000)
	o.refused("more messages than there are", *info, func(i *jetstream.ObjectInfo) { i.Chunks = 10_000 })
	o.refused("more messages than can be", *info, func(i *jetstream.ObjectInfo) { i.Chunks = 1<<32 - 1 })
	o.refused("a link", *info, func(i *jetstream.ObjectInfo) {
		i.Chunks, i.Opts = 0, &jetstream.ObjectMetaOptions{Link: &jetstream.ObjectLink{Bucket: "upflab_results_evil", Name: "j"}}
	})
	stream, err := o.operator.JS.Stream(t.Context(), "OBJ_upflab_results_evil")
	if err == nil {
		err = stream.Purge(t.Context(), jetstream.WithPurgeSubject("$O.upflab_results_evil.C."+info.NUID), jetstream.WithPurgeKeep(3))
	}
	if err != nil {
		t.Fatal(err)
	}
	o.refused("all but three were taken away", *info, func(*jetstream.ObjectInfo) {})
}

// refused wants a result that is described otherwise to be refused within two seconds.
func (o objects) refused(story string, info jetstream.ObjectInfo, change func(*jetstream.ObjectInfo)) {
	o.t.Helper()
	change(&info)
	o.describe(info)
	began := time.Now()
	if got, err := o.read(); !errors.Is(err, jetstream.ErrDigestMismatch) {
		o.t.Errorf("%s: %d octets, %v", story, len(got), err)
	}
	if took := time.Since(began); took > 2*time.Second {
		o.t.Errorf("%s: it took %s", story, took)
	}
}

// TestObjectReplaced: an agent that hands in again while the client reads leaves it one whole
// result, and one that is taken away meanwhile is gone.
func TestObjectReplaced(t *testing.T) {
	o := newObjects(t)
	known := map[string]bool{}
	first, _ := o.put(700)
	known[string(first)] = true
	more := make(chan string, 100)
	go func() {
		defer close(more)
		for range 30 {
			data, _ := o.put(700)
			more <- string(data)
		}
	}()
	var read []string
	for writing := true; writing; {
		got, err := o.read()
		if err != nil {
			t.Fatal(err)
		}
		read = append(read, string(got))
		select {
		case data, open := <-more:
			known[data], writing = true, open
		default:
		}
	}
	for i, got := range read {
		if !known[got] {
			t.Errorf("reading %d gave %d octets that nobody handed in", i, len(got))
		}
	}
	t.Logf("%d readings while it was replaced 30 times", len(read))
	if err := o.store.Delete(t.Context(), "j"); err != nil {
		t.Fatal(err)
	}
	if _, err := o.read(); !errors.Is(err, jetstream.ErrObjectNotFound) {
		t.Errorf("a result that was deleted: %v", err)
	}
}
