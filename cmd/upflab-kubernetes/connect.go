package main

import (
	"cmp"
	"fmt"
	"io"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"github.com/upflab/upflab/cmd/upflab-kubernetes/internal/plan"
	"github.com/upflab/upflab/cmd/upflab-kubernetes/internal/session"
)

// connect reads the kubeconfig. The plan gets the namespace of the context where it names
// none.
func connect(path, context string, p *plan.Plan) (c session.Clients, err error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = path
	config := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules,
		&clientcmd.ConfigOverrides{CurrentContext: cmp.Or(context, p.Context)})
	if p.Namespace == "" {
		if p.Namespace, _, err = config.Namespace(); err != nil {
			return c, fmt.Errorf("read the kubeconfig: %w", err)
		}
	}
	r, err := config.ClientConfig()
	if err != nil {
		return c, fmt.Errorf("read the kubeconfig: %w; name one with $KUBECONFIG", err)
	}
	klog.SetOutput(io.Discard) // client-go logs what it returns as errors, too
	klog.LogToStderr(false)
	// Warnings of the server are sentences for people; errors say them again.
	r.WarningHandler = rest.NoWarnings{}
	r.UserAgent = "upflab-kubernetes"
	if c.Core, err = kubernetes.NewForConfig(r); err != nil {
		return c, err
	}
	c.Dynamic, err = dynamic.NewForConfig(r)
	return c, err
}
