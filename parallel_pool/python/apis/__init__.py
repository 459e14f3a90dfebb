"""The APIs: Gymnasium, gym and dm_env, each as a pool and as a single env; make()."""
