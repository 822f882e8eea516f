"""pytest plug-ins that are copied into the sandbox as plain files: they must not import anything of Heal's."""
