package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/upflab/upflab/cmd/upflab-kubernetes/internal/objects"
	"github.com/upflab/upflab/cmd/upflab-kubernetes/internal/plan"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/podlog"
)

// cluster is a cluster in memory: a job gets a pod at once, as the controller, the scheduler
// and a kubelet would give it one.
type cluster struct {
	*fake.Clientset
	dir     string            // of the result that the lead hands over
	refuse  map[string]string // of a role: why its pod is refused
	forbid  string            // resource that may not be created
	broken  string            // what is wrong with the lead's log
	waiting *corev1.ContainerStateWaiting
	// unscheduled is why the scheduler has no node for a pod that is waiting.
	unscheduled string
	warning     string // of the kubelet, about a pod that is waiting
	deleted     string // role whose pod is deleted when the lead starts

	mu   sync.Mutex
	made []string
}

func newCluster(t *testing.T, there ...runtime.Object) *cluster {
	t.Helper()
	c := &cluster{Clientset: fake.NewClientset(there...), dir: t.TempDir(), refuse: map[string]string{}}
	if err := os.WriteFile(filepath.Join(c.dir, "result.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	c.PrependReactor("create", "selfsubjectaccessreviews", func(a clienttesting.Action) (bool, runtime.Object, error) {
		r := a.(clienttesting.CreateAction).GetObject().(*authorizationv1.SelfSubjectAccessReview).DeepCopy()
		r.Status.Allowed = r.Spec.ResourceAttributes.Resource != c.forbid
		return true, r, nil
	})
	c.PrependReactor("create", "jobs", func(a clienttesting.Action) (bool, runtime.Object, error) {
		return false, nil, c.start(a.(clienttesting.CreateAction).GetObject().(*batchv1.Job))
	})
	c.PrependReactor("delete", "jobs", func(a clienttesting.Action) (bool, runtime.Object, error) {
		_ = c.Tracker().Delete(corev1.SchemeGroupVersion.WithResource("pods"), a.GetNamespace(), a.(clienttesting.DeleteAction).GetName()+"-x")
		return false, nil, nil
	})
	return c
}

func (c *cluster) start(j *batchv1.Job) error {
	role := j.Labels[objects.RoleLabel]
	c.mu.Lock()
	c.made = append(c.made, role)
	c.mu.Unlock()
	if why := c.refuse[role]; why != "" {
		return c.Tracker().Add(&corev1.Event{ObjectMeta: metav1.ObjectMeta{Name: "e", Namespace: j.Namespace},
			Reason: "FailedCreate", Message: why,
			InvolvedObject: corev1.ObjectReference{Kind: "Job", Name: j.Name}})
	}
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: j.Name + "-x", Namespace: j.Namespace,
		Labels: j.Spec.Template.Labels, Annotations: j.Spec.Template.Annotations},
		Spec:   *j.Spec.Template.Spec.DeepCopy(),
		Status: corev1.PodStatus{Phase: corev1.PodRunning, PodIP: "10.244.0.7", QOSClass: corev1.PodQOSGuaranteed}}
	p.Spec.NodeName = "w1"
	if c.waiting != nil {
		p.Status.Phase = corev1.PodPending
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: objects.Container, State: corev1.ContainerState{Waiting: c.waiting}}}
	}
	if role == record.RoleLead && c.deleted != "" {
		_ = c.Tracker().Delete(corev1.SchemeGroupVersion.WithResource("pods"), j.Namespace, strings.Replace(p.Name, role, c.deleted, 1))
	}
	if c.warning != "" {
		_ = c.Tracker().Add(&corev1.Event{ObjectMeta: metav1.ObjectMeta{Name: "w", Namespace: j.Namespace},
			Type: corev1.EventTypeWarning, Reason: "FailedCreatePodSandBox",
			Message: c.warning, InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: p.Name}})
	}
	if c.unscheduled != "" {
		p.Status.ContainerStatuses = nil
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
			Reason: "Unschedulable", Message: c.unscheduled}}
	}
	return c.Tracker().Add(p)
}

// logs are what the pods say.
func (c *cluster) logs(_ context.Context, pod string, _ bool) (io.ReadCloser, error) {
	var b bytes.Buffer
	facts, _ := json.Marshal(record.PodInside{CPUs: []int{3}, NodeCPUs: 8})
	fmt.Fprintf(&b, "%s%s\nserving testbed x\nstart a campaign: y\n", podFacts, facts)
	if strings.Contains(pod, "lead") {
		fmt.Fprintln(&b, "trial 1 of 1")
		if c.broken == "cut" {
			return io.NopCloser(&b), nil
		}
		if err := podlog.Write(&b, c.dir, 3); err != nil {
			return nil, err
		}
	}
	return io.NopCloser(&b), nil
}

func (c *cluster) session(t *testing.T, text string, args ...string) (*Session, *bytes.Buffer) {
	t.Helper()
	p, err := plan.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	clients := Clients{Core: c, Dynamic: dynamicfake.NewSimpleDynamicClient(runtime.NewScheme()), Logs: c.logs}
	s := New(clients, p, Work{Upflab: fakeUpflab(t), Out: t.TempDir(), Arguments: args}, &said)
	s.every, s.poll = 20*time.Millisecond, 5*time.Millisecond
	return s, &said
}

// fakeUpflab makes what `upflab hub add` makes.
func fakeUpflab(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "upflab")
	script := "#!/bin/sh\nmkdir -p \"$4\"; echo key >\"$4/hub.key\"; echo '{\"urls\":[\"?\"]}' >\"$8\"\n"
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// nothingLeft wants the cluster to be as before.
func (c *cluster) nothingLeft(t *testing.T) {
	t.Helper()
	ctx := context.Background()
	jobs, _ := c.BatchV1().Jobs("lab").List(ctx, metav1.ListOptions{})
	pods, _ := c.CoreV1().Pods("lab").List(ctx, metav1.ListOptions{LabelSelector: objects.RunLabel})
	secrets, _ := c.CoreV1().Secrets("lab").List(ctx, metav1.ListOptions{})
	leases, _ := c.CoordinationV1().Leases("lab").List(ctx, metav1.ListOptions{})
	if n := len(jobs.Items) + len(pods.Items) + len(secrets.Items) + len(leases.Items); n > 0 {
		t.Errorf("left: %d jobs, %d pods, %d secrets, %d leases", len(jobs.Items), len(pods.Items), len(secrets.Items), len(leases.Items))
	}
}

const (
	alone = "namespace: lab\nimage: x\nlead: {}\n"
	apart = "namespace: lab\nimage: x\nlead: {n3: n3, n6: n6}\ngenerators: [{device: net1}]\nsink: {device: net1}\n"
)

func TestAlone(t *testing.T) {
	c := newCluster(t)
	for _, name := range []string{"report.html", ".htaccess", "\x1b[2J.log"} {
		if err := os.WriteFile(filepath.Join(c.dir, name), []byte("<script>"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, said := c.session(t, alone, "quick", "--dut", "builtin:xdp")
	status, err := s.Run(context.Background())
	if err != nil || status != 3 {
		t.Fatalf("status %d: %v\n%s", status, err, said)
	}
	if !strings.Contains(said.String(), "trial 1 of 1") || strings.Contains(said.String(), podFacts) {
		t.Errorf("it said: %s", said)
	}
	if !strings.Contains(said.String(), `not kept of pod`) || !strings.Contains(said.String(), `files: "\x1b[2J.log", ".htaccess"`) {
		t.Errorf("files that runs do not write: %s", said)
	}
	if kept, err := os.ReadDir(s.work.Out); err != nil || len(kept) != 2 {
		t.Errorf("kept: %v %v", kept, err)
	}
	if _, err := os.Stat(filepath.Join(s.work.Out, "result.json")); err != nil {
		t.Error(err)
	}
	checkCluster(t, s, 1)
	c.nothingLeft(t)
}

func TestApart(t *testing.T) {
	c := newCluster(t)
	s, said := c.session(t, apart, "quick")
	if status, err := s.Run(context.Background()); err != nil || status != 3 {
		t.Fatalf("status %d: %v\n%s", status, err, said)
	}
	if got := strings.Join(c.made, " "); got != "hub generator-0 sink lead" {
		t.Errorf("order of jobs: %s", got)
	}
	checkCluster(t, s, 4)
	c.nothingLeft(t)
}

func checkCluster(t *testing.T, s *Session, pods int) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(s.work.Out, ClusterFile))
	if err != nil {
		t.Fatal(err)
	}
	var r record.Cluster
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Pods) != pods || r.Unread == "" {
		t.Errorf("%d pods, nodes not read %q", len(r.Pods), r.Unread)
	}
	for _, p := range r.Pods {
		if p.Role == "" || p.Node != "w1" || !p.Pinned() {
			t.Errorf("%+v", p)
		}
	}
}

// TestRefusals: each ends with a sentence that says what is forbidden, and leaves nothing.
func TestRefusals(t *testing.T) {
	for story, c := range map[string]struct {
		change func(*cluster)
		plan   string
		want   []string
	}{
		"no right to make jobs": {func(c *cluster) { c.forbid = "jobs" }, alone,
			[]string{"does not allow you to create jobs in namespace lab", "upflab-kubernetes rights"}},
		"no right to make keys": {func(c *cluster) { c.forbid = "secrets" }, apart, []string{"create secrets"}},
		"Pod Security": {func(c *cluster) {
			c.refuse["lead"] = `pods "upflab-1-lead-" is forbidden: violates PodSecurity "baseline:latest": privileged (container "upflab" must not set securityContext.privileged=true)`
		}, alone, []string{"Pod Security level forbids it", "enforce=privileged", "securityContext.privileged"}},
		"a quota": {func(c *cluster) { c.refuse["hub"] = `pods "x" is forbidden: exceeded quota: q` }, apart,
			[]string{"pod of hub", "exceeded quota"}},
		"no such image": {func(c *cluster) {
			c.waiting = &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "no such image"}
		}, alone, []string{"cannot start", "no such image"}},
		"no such network": {func(c *cluster) {
			c.waiting = &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}
			c.warning = `failed to setup network: network-attachment-definitions.k8s.cni.cncf.io "n3" not found`
		}, alone + "startWithin: 20ms\n", []string{"ContainerCreating: FailedCreatePodSandBox: failed to setup network", `"n3" not found`}},
		"no huge pages": {func(c *cluster) {
			c.waiting = &corev1.ContainerStateWaiting{}
			c.unscheduled = "0/2 nodes are available: 1 Insufficient hugepages-2Mi, 1 node(s) didn't match Pod's " +
				"node affinity/selector. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."
		}, alone + "startWithin: 20ms\n",
			[]string{"did not start within 20ms", "1 Insufficient hugepages-2Mi",
				"affinity/selector: reserve huge pages on the node"}},
		"the log is cut off": {func(c *cluster) { c.broken = "cut" }, alone, []string{"ended without a result"}},
		"no UPF":             {func(*cluster) {}, alone + "upf: {selector: app=upf, n3: n3, n6: n6}\n", nil},
	} {
		t.Run(story, func(t *testing.T) {
			x := newCluster(t)
			c.change(x)
			text := c.plan
			if story == "no UPF" {
				text, c.want = strings.Replace(text, "lead: {}", "lead: {n3: net1, n6: net2}", 1),
					[]string{"no pod with the labels app=upf runs in namespace lab"}
			}
			s, _ := x.session(t, text, "quick")
			_, err := s.Run(context.Background())
			if err == nil {
				t.Fatal("it ran")
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q is not in %q", w, err)
				}
			}
			x.nothingLeft(t)
		})
	}
}

// TestKilled: what a killed run left is removed by the next one, and nothing of one that lives.
func TestKilled(t *testing.T) {
	c := newCluster(t)
	dead, _ := c.session(t, apart, "quick")
	hold, kill := context.WithCancel(context.Background())
	if _, err := dead.hold(hold, func() {}); err != nil {
		t.Fatal(err)
	}
	if err := dead.startHosts(hold); err != nil {
		t.Fatal(err)
	}
	alive, _ := c.session(t, apart, "quick")
	living, end := context.WithCancel(context.Background())
	defer end()
	if _, err := alive.hold(living, func() {}); err != nil {
		t.Fatal(err)
	}
	kill()
	time.Sleep(2 * dead.every) // a renewal that had begun ends; a process that is killed would end it
	next, said := c.session(t, apart, "quick")
	if err := next.Clean(context.Background()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said.String(), "killed run "+dead.maker.Run) || strings.Contains(said.String(), alive.maker.Run) {
		t.Errorf("it said: %s", said)
	}
	if _, err := c.CoordinationV1().Leases("lab").Get(context.Background(), "upflab-"+alive.maker.Run, metav1.GetOptions{}); err != nil {
		t.Errorf("the lease of a run that lives: %v", err)
	}
	end()
	if err := next.remove(context.Background(), alive.maker.Run); err != nil {
		t.Error(err)
	}
	c.nothingLeft(t)
}

func TestLeaseLost(t *testing.T) {
	c := newCluster(t)
	s, _ := c.session(t, alone, "quick")
	ctx, end := context.WithCancel(context.Background())
	lost, err := s.hold(ctx, end)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.CoordinationV1().Leases("lab").Delete(ctx, "upflab-"+s.maker.Run, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ctx.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("the run goes on without its lease")
	}
	if err := lost(); err == nil || errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
