"""Messages of ROS 2 and files of them, read and written without ROS."""
