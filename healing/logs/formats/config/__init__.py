"""Tools of configuration and infrastructure: YAML, containers, Terraform, Kubernetes, shells, workflows, git."""
