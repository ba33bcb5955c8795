"""Robots as the page draws them: numbers, names and packed meshes, without anything of the machine that made them."""

from kinetree.viewing.scene.findings import Folders as Folders
from kinetree.viewing.scene.make import PosedRobot as PosedRobot, Scene as Scene, scene as scene
from kinetree.viewing.scene.robot import configuration as configuration
from kinetree.viewing.scene.shapes import LEFT_OUT as LEFT_OUT
